#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "command.h"
#include "model_file.h"

namespace tool {
namespace {

using chainer::text;
namespace json = chainer::json;

struct Difference {
  double largest = 0;  ///< of |a - b|
  double mean = 0;
  double largest_value = 0;  ///< of |a|, to compare with
  int64_t elements = 0;      ///< that differ by more than is allowed
};

Difference compare(const chainer::Array& a, const chainer::Array& b, double atol, double rtol) {
  Difference d;
  std::vector<double> values;
  for_runs(a, [&](const double* p, int64_t n) { values.insert(values.end(), p, p + n); });
  std::size_t at = 0;
  double total = 0;
  for_runs(b, [&](const double* p, int64_t n) {
    for (int64_t i = 0; i < n; ++i, ++at) {
      const double x = values[at], y = p[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) {
        if (std::isfinite(x)) d.largest_value = std::max(d.largest_value, std::abs(x));
        continue;
      }
      const double gap = std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : HUGE_VAL;
      d.largest = std::max(d.largest, gap);
      if (std::isfinite(x)) d.largest_value = std::max(d.largest_value, std::abs(x));
      total += gap;
      if (!(gap <= atol + rtol * std::abs(y))) ++d.elements;
    }
  });
  d.mean = at ? total / static_cast<double>(at) : 0;
  return d;
}

int run(const Arguments& args) {
  const double atol = args.number("atol", 0), rtol = args.number("rtol", 0);
  const ModelFile a = open_model_file(args.positional[0]), b = open_model_file(args.positional[1]);
  json::List found;
  const auto report = [&](const std::string& name, const std::string& what, json::Object more = {}) {
    json::Object o{{"name", name}, {"difference", what}};
    for (auto& m : more) o.push_back(std::move(m));
    found.emplace_back(std::move(o));
  };
  std::map<std::string, const NamedArray*> others;
  for (const NamedArray& n : b.arrays) others[n.name] = &n;
  for (const NamedArray& n : a.arrays) {
    const auto it = others.find(n.name);
    if (it == others.end()) {
      report(n.name, "only in the first file");
      continue;
    }
    const NamedArray& m = *it->second;
    others.erase(it);
    if (n.shape != m.shape) {
      report(n.name, text("shape ", shape_text(n.shape), " and ", shape_text(m.shape)));
      continue;
    }
    if (n.dtype != m.dtype && !args.has("any-dtype")) report(n.name, text("dtype ", n.dtype, " and ", m.dtype));
    const Difference d = compare(n.load(), m.load(), atol, rtol);
    if (d.elements)
      report(n.name,
             text(d.elements, " of ", element_count(n.shape), " element(s) differ, by up to ", d.largest, ", by ",
                  d.mean, " on average; values reach ", d.largest_value),
             {{"elements", d.elements}, {"largest", d.largest}, {"mean", d.mean}, {"largest_value", d.largest_value}});
  }
  for (const auto& [name, n] : others) report(name, "only in the second file");
  const auto text_of = [](const ModelFile& f, const std::string& name) {
    const auto it = f.texts.find(name);
    if (it != f.texts.end()) return json::dump(json::Value(it->second));
    return std::string(std::find(f.nones.begin(), f.nones.end(), name) != f.nones.end() ? "none" : "absent");
  };
  std::set<std::string> names(a.nones.begin(), a.nones.end());
  names.insert(b.nones.begin(), b.nones.end());
  for (const ModelFile* f : {&a, &b})
    for (const auto& [name, value] : f->texts) names.insert(name);
  for (const std::string& name : names)
    if (text_of(a, name) != text_of(b, name)) report(name, text_of(a, name) + " and " + text_of(b, name));

  const int code = found.empty() ? 0 : 1;
  if (args.has("json")) {
    std::puts(json::dump(json::Object{{"equal", found.empty()}, {"differences", std::move(found)}}, 2).c_str());
    return code;
  }
  for (const json::Value& v : found)
    std::printf("%s: %s\n", v.find("name")->string()->c_str(), v.find("difference")->string()->c_str());
  return code;
}

}  // namespace

Command diff_command() {
  return {
      .name = "diff",
      .arguments = "A B",
      .least = 2,
      .most = 2,
      .summary = "Compares two model files: which arrays differ, and by how much.",
      .description = {"The files may be of different formats. NaN is equal to NaN. Exit code 0: nothing differs, 1: "
                      "something does, 2: an error."},
      .options = {{"json", "", "the same as one JSON object"},
                  {"atol", "NUMBER", "allow |a - b| <= atol + rtol |b|; 0 by default"},
                  {"rtol", "NUMBER", "0 by default"},
                  {"any-dtype", "", "compare the values only, not the dtypes"}},
      .run = run};
}

}  // namespace tool
