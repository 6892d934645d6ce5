// SPDX-License-Identifier: MIT
// More rows of elementwise functions with two arguments or with options: wide ranges, other shapes.
#include <cmath>

#include "table.h"

namespace table {

void elementwise(std::vector<OpCase>& t) {
  // Seven numbers from low to high, ends included; six numbers between them in three axes.
  const auto line = [](double low, double high) { return arange(7).astype(float64) * ((high - low) / 6) + low; };
  const auto block = [](double low, double high) { return sigmoid(normal({2, 1, 3})) * (high - low) + low; };
  for (const Array& x : {line(-9, 10), block(-9, 10)})
    t.push_back(row("clip", "", [](const Variables& v) { return F::clip(v[0], -2.1, 3.3); }, {x}).formula([](double v) {
      return std::min(std::max(v, -2.1), 3.3);
    }));

  // Functions of two arguments: `formula` is applied to pairs of numbers.
  const auto two = [&](const std::string& name, auto f, double low, double high, double (*formula)(double, double)) {
    for (const auto& [x, y] :
         {std::pair(line(low, high), normal({7}) * 3 + 1), std::pair(block(low, high), away({2, 1, 3}))})
      t.push_back(row(name, "", [f](const Variables& v) { return f(v[0], v[1]); }, {x, y})
                      .reference([formula](const Arrays& in) {
                        std::vector<double> a = in[0].to_vector<double>();
                        const std::vector<double> b = in[1].to_vector<double>();
                        for (std::size_t i = 0; i < a.size(); ++i) a[i] = formula(a[i], b[i]);
                        return Arrays{array(a, in[0].shape())};
                      }));
  };
  const auto larger = [](double a, double b) { return std::max(a, b); };
  const auto smaller = [](double a, double b) { return std::min(a, b); };
  const auto squared = [](double a, double b) { return (a - b) * (a - b); };
  two(
      "maximum", [](const Variable& a, const Variable& b) { return F::maximum(a, b); }, -5, 6, larger);
  two(
      "minimum", [](const Variable& a, const Variable& b) { return F::minimum(a, b); }, -5, 6, smaller);
  two("arctan2", F::arctan2, -5, 6, [](double a, double b) { return std::atan2(a, b); });
  two("squared_difference", F::squared_difference, -5, 6, squared);
  two("squared_error", F::squared_error, -5, 6, squared);
  two("absolute_error", F::absolute_error, -5, 6, [](double a, double b) { return std::abs(a - b); });

  for (const Shape& s : {Shape{7}, Shape{2, 1, 3}})
    t.push_back(row("linear_interpolate", "",
                    [](const Variables& x) { return F::linear_interpolate(x[0], x[1], x[2]); },
                    {normal(s), normal(s) * 5, normal(s)})
                    .reference([](const Arrays& x) { return Arrays{x[0] * x[1] + (1 - x[0]) * x[2]}; }));
}

}  // namespace table
