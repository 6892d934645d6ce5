// SPDX-License-Identifier: MIT
// The inputs of rows, and the rows of functions of one number.
#include "table.h"
#include "unary.h"

namespace table {
namespace {
random::RandomState& generator() {
  static random::RandomState r(11);
  return r;
}
}  // namespace

// The FNV-1a hash.
uint32_t hash(const std::string& text) {
  uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h;
}

void draw_after(const std::string& name, const std::string& python) { generator().seed(hash(name + "\n" + python)); }

Array normal(const Shape& s) { return generator().randn(s); }
Array away(const Shape& s) {
  const Array a = normal(s);
  return a + sign(a) * 0.2;
}
Array positive(const Shape& s) { return generator().uniform(0.3, 2, s); }
Array apart(const Shape& s) {
  const int64_t n = s.product();
  const Array order = generator().permutation(n).astype(float64);
  return ((order - static_cast<double>(n) / 2) * 0.05 + generator().uniform(0, 0.02, {n})).reshape(s);
}

Row& Row::formula(double (*f)(double)) {
  return reference([f](const Arrays& x) {
    std::vector<double> v = x[0].to_vector<double>();
    for (double& e : v) e = f(e);
    return Arrays{array(v, x[0].shape())};
  });
}

// Three rows per function: over the range including its ends, in an odd shape, and with the release's expression.
void unary(std::vector<OpCase>& t) {
  for (const Unary& u : unary_functions()) {
    const auto add = [&](const std::string& python, Array x) {
      if (!u.options.differentiable) x = floor(x * 4) / 4 + 0.125;  // between steps, also after rounding to float16
      Row r = row(u.name, python, [f = u.function](const Variables& v) { return f(v[0]); }, {x});
      if (u.formula) r.formula(u.formula);
      if (!u.options.differentiable) r.no_gradient();
      return r;
    };
    draw_after(u.name, "");
    const auto between = [&](const Shape& s) { return generator().uniform(u.low, u.high, s); };
    t.push_back(add(u.options.in_release ? "F." + u.name + "(x[0])" : not_in_release, between({3, 4})).elementwise());
    t.push_back(add("", arange(7).astype(float64) * ((u.high - u.low) / 6) + u.low));
    t.push_back(add("", between({2, 1, 3})));
  }
}

}  // namespace table
