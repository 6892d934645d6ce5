// SPDX-License-Identifier: MIT
// The table of functions inside static graphs: a recording replayed on other data gives the function's results for that
// data, bit for bit, forward and backward, for all dtypes and layouts, with deferred and eager evaluation.
#include <chainer/array/deferred/deferred.h>
#include <chainer/array/host.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "rows/table.h"
#include "test.h"

using namespace chainer;

namespace {

// Other data of the same kind: rows in another order, so that values stay in the function's domain.
Array other(const Array& a, int round) {
  if (a.ndim() == 0 || a.shape()[0] < 2 || round == 0) return a.copy();
  const int64_t n = a.shape()[0];
  const Array turned = concatenate({a[Slice(round % n, std::nullopt)], a[Slice(0, round % n)]}, 0);
  return is_floating(a.dtype()) ? turned * (1 + 0.01 * round) : turned;
}
Arrays others(const Arrays& in, Dtype d, int round, bool strided, const Device& device = Device()) {
  Arrays out;
  for (const Array& a : in) {
    // Labels and positions may depend on the other inputs, so they are not changed.
    const Array b = is_floating(a.dtype()) ? other(a, round).astype(d) : a.copy();
    out.push_back((strided && is_floating(a.dtype()) && b.ndim() > 1 ? b.T().contiguous().T() : b).to_device(device));
  }
  return out;
}
bool same_bits(const Array& a, const Array& b) {
  if (static_cast<bool>(a) != static_cast<bool>(b)) return false;
  if (!a) return true;
  const Array x = to_host(a).contiguous(), y = to_host(b).contiguous();
  return x.shape() == y.shape() && x.dtype() == y.dtype() &&
         (x.size() == 0 || std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) == 0);
}

using Function = std::function<Variables(const Variables&)>;

// Results and gradients.
Arrays outcome(const Function& f, const Arrays& in, bool differentiable, int round) {
  Variables xs;
  for (const Array& a : in) xs.push_back(Variable(a, is_floating(a.dtype()) && differentiable));
  random::seed(static_cast<uint32_t>(round));
  Variables ys = f(xs);
  Arrays out;
  for (const Variable& y : ys) out.push_back(y.array());
  if (!differentiable) return out;
  random::RandomState r(static_cast<uint32_t>(round) + 5);
  ys = F::identity(ys);
  for (Variable& y : ys) y.set_grad(r.randn(y.shape()).astype(y.dtype()).to_device(y.array().device()));
  ys[0].backward();
  for (const Variable& x : xs) out.push_back(x.grad());
  return out;
}

Arrays in_host_memory(const Arrays& in) {
  Arrays out;
  for (const Array& a : in) out.push_back(to_host(a).copy());
  return out;
}

struct Totals {
  int replayed = 0, refused = 0;
  std::map<std::string, std::string> reasons;
};

// Elementwise functions of enough elements for deferred evaluation.
testing::OpCase large(testing::OpCase c) {
  for (Array& a : c.inputs)
    a = tile(a.ravel(), {6000 / std::max<int64_t>(a.size(), 1) + 1})[Slice(0, 6000)].reshape({60, 100}).copy();
  return c;
}

void check(const testing::OpCase& c, Dtype d, bool strided, Totals& totals, const Device& device = Device()) {
  auto f = static_graph(c.function);
  const int rounds = device.is_host() ? 4 : 8;  // devices capture later replays
  for (int round = 0; round < rounds; ++round) {
    const Arrays in = others(c.inputs, d, round, strided, device), before = in_host_memory(in);
    std::optional<Arrays> plain, replayed;
    std::string plain_error, replayed_error;
    try {
      plain = outcome(c.function, in, c.differentiable, round);
    } catch (const MissingPartError&) { throw; } catch (const std::exception& e) {
      plain_error = e.what();
    }
    try {
      replayed = outcome([&](const Variables& x) { return f(x); }, in, c.differentiable, round);
    } catch (const std::exception& e) { replayed_error = e.what(); }
    if (plain.has_value() != replayed.has_value())
      throw RuntimeError("round ", round, ": ", plain_error, " by itself, ", replayed_error, " in a static graph");
    if (!plain) continue;
    if (plain->size() != replayed->size()) throw RuntimeError("another number of results");
    for (std::size_t i = 0; i < plain->size(); ++i)
      if (!same_bits((*plain)[i], (*replayed)[i]))
        throw RuntimeError("round ", round, ", result or gradient ", i, " differs");
    for (std::size_t i = 0; i < in.size(); ++i)
      if (!same_bits(in[i], before[i])) throw RuntimeError("an input was changed");
  }
  const std::string why = f.schedule_manager().refused();
  if (why.empty() && f.schedule_manager().counts().replayed > 0)
    ++totals.replayed;
  else {
    ++totals.refused;
    totals.reasons[c.name + (why.empty() ? " " : "")] = why;
  }
}

}  // namespace

TEST(the_table_in_static_graphs) {
  Totals totals;
  for (const testing::OpCase& c : table::rows())
    for (const bool strided : {false, true})
      for (const Dtype d : {float32, float64, float16}) {
        try {
          check(c, d, strided, totals);
          if (c.elementwise && d == float32) check(large(c), d, strided, totals);
        } catch (const MissingPartError&) {
        } catch (const std::exception& e) {
          test::fail(c.name.c_str(), 0, text(c.python, ", ", d, strided ? ", strided: " : ": ", e.what()));
        }
      }
  for (const auto& [name, why] : totals.reasons)
    std::fprintf(stderr, "define-by-run: %s (%s)\n", name.c_str(), why.c_str());
  std::fprintf(stderr, "%d replayed, %d define-by-run\n", totals.replayed, totals.refused);
  EXPECT(totals.replayed > 3 * totals.refused);
}

// The same on a device, which captures replays as graphs.
TEST(the_table_in_static_graphs_on_the_emulated_device) {
  const char* chosen = std::getenv("CHAINER_TEST_DEVICE");  // tests/cuda/day
  const Device device = get_device(chosen ? chosen : "@cuda-emulated:0");
  const UsingConfig strict(&Config::use_cudnn_tensor_core, std::string("never"));
  Totals totals;
  for (const testing::OpCase& c : table::rows()) {
    try {
      check(c, float32, false, totals, device);
      if (c.elementwise) check(large(c), float32, true, totals, device);
    } catch (const MissingPartError&) {
    } catch (const std::exception& e) { test::fail(c.name.c_str(), 0, text(c.python, ": ", e.what())); }
  }
  std::fprintf(stderr, "%d replayed, %d define-by-run\n", totals.replayed, totals.refused);
  for (const auto& [name, why] : totals.reasons)
    std::fprintf(stderr, "define-by-run: %s (%s)\n", name.c_str(), why.c_str());
  EXPECT(totals.replayed > 2 * totals.refused);
}
