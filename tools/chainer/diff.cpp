// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "chainer/core/utf8.h"
#include "chainer/array/index.h"
#include "command.h"
#include "model_file.h"

namespace tool {
namespace {

using chainer::text;
namespace json = chainer::json;

struct Difference {
  double largest = 0;  ///< of |a - b|
  double mean = 0;
  double largest_value = 0;  ///< of |a|, for comparison
  int64_t elements = 0;      ///< number of elements that differ by more than the tolerance
};

// |x - y|; 0 only if both are equal, although not all integers beyond 2^53 are doubles.
double gap_of(int64_t x, int64_t y) {
  return static_cast<double>(x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
                                   : static_cast<uint64_t>(y) - static_cast<uint64_t>(x));
}
double gap_of(double x, double y) {
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  return std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : HUGE_VAL;
}
double gap_of(int64_t x, double y) {
  if (y == std::trunc(y) && std::abs(y) < 0x1p63) return gap_of(x, static_cast<int64_t>(y));
  return gap_of(static_cast<double>(x), y);
}
double gap_of(double x, int64_t y) { return gap_of(y, x); }

template <class X, class Y>
void compare(const chainer::Array& a, const chainer::Array& b, double atol, double rtol, Difference& d) {
  const X* p = a.data<X>();
  const Y* q = b.data<Y>();
  for (int64_t i = 0; i < a.size(); ++i) {
    const double gap = gap_of(p[i], q[i]), value = std::abs(static_cast<double>(p[i]));
    if (std::isfinite(value)) d.largest_value = std::max(d.largest_value, value);
    if (gap == 0) continue;
    d.largest = std::max(d.largest, gap);
    d.mean += gap;  // the sum; divided at the end
    if (!(gap <= atol + rtol * std::abs(static_cast<double>(q[i])))) ++d.elements;
  }
}

Difference compare(const NamedArray& a, const NamedArray& b, double atol, double rtol) {
  // Compares integers as int64 and all others as float64, which represents them exactly.
  const auto wide = [](const chainer::Array& x) {
    return x.astype(is_floating(x.dtype()) ? chainer::float64 : chainer::int64, false).contiguous();
  };
  Difference d;
  const chainer::Array all = a.load().contiguous().reshape({-1});
  int64_t at = 0;
  for_runs(b, [&](const chainer::Array& run) {
    const chainer::Array x = wide(all[chainer::Slice(at, at + run.size())]), y = wide(run);
    at += run.size();
    const bool whole_x = x.dtype() == chainer::int64, whole_y = y.dtype() == chainer::int64;
    const auto f = whole_x ? (whole_y ? compare<int64_t, int64_t> : compare<int64_t, double>)
                           : (whole_y ? compare<double, int64_t> : compare<double, double>);
    f(x, y, atol, rtol, d);
  });
  if (at) d.mean /= static_cast<double>(at);
  return d;
}

int run(const Arguments& args) {
  const double atol = args.number("atol", 0), rtol = args.number("rtol", 0);
  for (const auto& [name, value] : {std::pair{"atol", atol}, {"rtol", rtol}})
    if (!(value >= 0)) throw UsageError(text("--", name, ": the tolerance must be 0 or more, not ", value));
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
    // Unreadable arrays count as different.
    if (!n.error.empty() || !m.error.empty()) {
      if (n.is_data || m.is_data) report(n.name, text("it cannot be compared: ", n.error.empty() ? m.error : n.error));
      continue;
    }
    if (n.shape != m.shape) {
      report(n.name, text("shape ", shape_text(n.shape), " and ", shape_text(m.shape)));
      continue;
    }
    if (n.dtype != m.dtype && !args.has("any-dtype")) report(n.name, text("dtype ", n.dtype, " and ", m.dtype));
    Difference d;
    try {
      d = compare(n, m, atol, rtol);
    } catch (const chainer::FileError& e) { report(n.name, text("it cannot be compared: ", e.what())); }
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
    if (const auto link = f.links.find(name); link != f.links.end()) return text("a link to ", link->second);
    return std::string(std::find(f.nones.begin(), f.nones.end(), name) != f.nones.end() ? "none" : "absent");
  };
  std::set<std::string> names(a.nones.begin(), a.nones.end());
  names.insert(b.nones.begin(), b.nones.end());
  for (const ModelFile* f : {&a, &b})
    for (const auto* known : {&f->texts, &f->links})
      for (const auto& [name, value] : *known) names.insert(name);
  for (const std::string& name : names)
    if (text_of(a, name) != text_of(b, name)) report(name, text_of(a, name) + " and " + text_of(b, name));

  const int code = found.empty() ? 0 : 1;
  if (args.has("json")) {
    print_json(json::Object{{"equal", found.empty()}, {"differences", std::move(found)}});
    return code;
  }
  for (const json::Value& v : found)
    std::printf("%s: %s\n", chainer::printable(*v.find("name")->string()).c_str(),
                chainer::printable(*v.find("difference")->string()).c_str());
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
      .description = {"The files may have different formats. NaN is equal to NaN, and integers are compared exactly. "
                      "An array that cannot be read counts as different. Exit code 0: no differences, 1: differences, "
                      "2: an error."},
      .options = {{"json", "", "print one JSON object"},
                  {"atol", "NUMBER", "allow |a - b| <= atol + rtol |b|; 0 by default"},
                  {"rtol", "NUMBER", "0 by default"},
                  {"any-dtype", "", "compare the values only, not the dtypes"}},
      .run = run};
}

}  // namespace tool
