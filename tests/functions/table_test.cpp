// SPDX-License-Identifier: MIT
// Runs the table of functions through the harness, and compares it with the release and with the headers.
#include <filesystem>
#include <fstream>
#include <set>

#include "rows/table.h"
#include "test.h"

using namespace chainer;

namespace {

// The names that the headers of functions declare.
std::set<std::string> declared() {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(SOURCE_DIR "/chainer/functions")) {
    if (file.path().extension() != ".h") continue;
    std::ifstream in(file.path());
    const std::string key = "static constexpr std::string_view name = \"";
    for (std::string line; std::getline(in, line);)
      if (const auto at = line.find(key); at != line.npos)
        names.insert(line.substr(at + key.size(), line.find('"', at + key.size()) - at - key.size()));
  }
  return names;
}

}  // namespace

TEST(the_table_through_the_harness) {
  for (const testing::OpCase& c : table::rows()) {
    ++test::expectations;
    random::seed(table::hash(c.name + c.python));  // a new row does not change the directions of others
    try {
      testing::check_op(c);
    } catch (const MissingPartError& e) {
      std::fprintf(stderr, "left out: %s\n", e.what());
    } catch (const std::exception& e) { test::fail(c.name.c_str(), 0, e.what()); }
  }
}

// A separate test, which also runs without oneDNN.
TEST(convolution_rows_through_the_harness) {
  if (!std::getenv("CHAINER_MATMUL")) return;
  int count = 0;
  for (const testing::OpCase& c : table::rows()) {
    if (c.name.find("convolution") == std::string::npos) continue;
    ++count;
    try {
      testing::check_op(c);
    } catch (const std::exception& e) { test::fail(c.name.c_str(), 0, e.what()); }
  }
  EXPECT(count > 60);
}

// Three rows per function.
TEST(every_declared_function_has_three_cases) {
  std::map<std::string, int> cases;
  for (const std::string& name : declared()) cases[name] = 0;
  EXPECT(cases.size() > 150);
  for (const testing::OpCase& c : table::rows())
    if (const auto it = cases.find(c.name); it != cases.end()) ++it->second;
  for (const auto& [name, count] : cases)
    if (count < 3)
      test::fail(
          name.c_str(), 0,
          text("has ", count, " rows in the table, three are wanted: a row in tests/functions/rows/unary.cpp for an ",
               "elementwise function of one number, else rows in the file of its chapter there"));
}

// Results, gradients for random output gradients, and second derivatives as release 5.4.0 computed them
// (conformance/make_conformance.py).
TEST(the_table_agrees_with_the_release) {
  const serializers::NpzFile release(TEST_DATA "../conformance/functions.npz");
  const std::vector<std::string> keys = table::keys();
  int compared = 0, second = 0;
  for (std::size_t row = 0; row < keys.size(); ++row) {
    const testing::OpCase& c = table::rows()[row];
    const std::string& key = keys[row];
    if (c.python.empty()) continue;
    try {
      if (!release.contains(key + "python"))
        throw RuntimeError(
            "tests/conformance/functions.npz lacks this row: run tests/conformance/make_conformance.py; for a function "
            "that release 5.4.0 lacks, its words are table::not_in_release (rows/unary.h: .in_release = false)");
      Variables xs;
      for (std::size_t i = 0; i < c.inputs.size(); ++i) {
        const Array x = release.array(chainer::text(key, "x", i));
        xs.push_back(Variable(x, is_floating(x.dtype())));
      }
      const double tight = 1e-10;
      const auto compare = [&](const std::string& name, const Variable& ours) {
        if (!release.contains(key + name)) return false;
        const Array theirs = release.array(key + name);
        testing::assert_allclose(ours ? ours.array() : zeros_like(theirs), theirs, {.atol = tight, .rtol = tight});
        return true;
      };
      const Variables ys = F::identity(c.function(xs));
      for (std::size_t i = 0; i < ys.size(); ++i) EXPECT(compare(chainer::text("y", i), ys[i]));
      ++compared;
      if (!c.differentiable) continue;
      Variables gy, floating;
      for (std::size_t i = 0; i < ys.size(); ++i) gy.push_back(Variable(release.array(chainer::text(key, "gy", i))));
      for (const Variable& x : xs)
        if (x.requires_grad()) floating.push_back(x);
      const Variables gx = grad(ys, floating, {.grad_outputs = gy, .enable_double_backprop = true});
      for (std::size_t i = 0; i < gx.size(); ++i)
        if (!compare(chainer::text("gx", i), gx[i]) && gx[i])
          throw RuntimeError("the release has no gradient of input ", i);
      if (!release.contains(key + "ggx0")) continue;
      Variables sources = floating, ggx;
      for (const Variable& g : gy) sources.push_back(g);
      Variable total;
      for (std::size_t i = 0; i < gx.size(); ++i) {
        const Variable term = F::sum(gx[i] * release.array(chainer::text(key, "ggx", i)));
        total = total ? total + term : term;
      }
      const Variables twice = grad({total}, sources);
      for (std::size_t i = 0; i < twice.size(); ++i) second += compare(chainer::text("gg", i), twice[i]);
    } catch (const MissingPartError&) {  // reported above
    } catch (const std::exception& e) { test::fail((key + c.python).c_str(), 0, e.what()); }
  }
  EXPECT(compared > 80);
  EXPECT(second > 100);
}

// If CONFORMANCE_OUT names a folder: writes the inputs there, for make_conformance.py.
TEST(write_cases) {
  const char* out = std::getenv("CONFORMANCE_OUT");
  if (!out) return;
  serializers::DictionarySerializer::Target values;
  const std::vector<std::string> keys = table::keys();
  std::ofstream list(std::string(out) + "/cases.tsv");
  for (std::size_t row = 0; row < keys.size(); ++row) {
    const testing::OpCase& c = table::rows()[row];
    const std::string& key = keys[row];
    if (c.python.empty()) continue;
    random::RandomState r(17);
    list << key << '\t' << c.python << '\t' << c.differentiable << '\n';
    Variables xs;
    std::size_t floating = 0;
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      values[chainer::text(key, "x", i)] = c.inputs[i].copy();
      xs.push_back(Variable(c.inputs[i], false));
      if (is_floating(c.inputs[i].dtype()))
        values[chainer::text(key, "ggx", floating++)] = r.randn(c.inputs[i].shape());
    }
    if (!c.differentiable) continue;
    const Variables ys = c.function(xs);
    for (std::size_t i = 0; i < ys.size(); ++i) values[chainer::text(key, "gy", i)] = r.randn(ys[i].shape());
  }
  serializers::write_npz(std::string(out) + "/cases.npz", values);
}
