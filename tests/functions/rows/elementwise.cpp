// More rows of the elementwise functions: numbers over the whole of a wide range, and in other shapes.
#include <cmath>

#include "table.h"

namespace table {

void elementwise(std::vector<OpCase>& t) {
  // Seven numbers from low to high, ends included; six numbers between them in three axes.
  const auto line = [](double low, double high) { return arange(7).astype(float64) * ((high - low) / 6) + low; };
  const auto block = [](double low, double high) { return sigmoid(normal({2, 1, 3})) * (high - low) + low; };
  const auto one = [&](const std::string& name, auto f, double low, double high, double (*formula)(double) = nullptr,
                       bool gradient = true) {
    for (Array x : {line(low, high), block(low, high)}) {
      if (!gradient) x = floor(x * 4) / 4 + 0.125;  // steps lie where rounding to float16 cannot reach them
      Row r = row(name, "", [f](const Variables& v) { return f(v[0]); }, {x});
      if (formula) r.formula(formula);
      if (!gradient) r.no_gradient();
      t.push_back(r);
    }
  };
  one("relu", F::relu, -30, 40, [](double x) { return x > 0 ? x : 0.; });
  one("leaky_relu", F::leaky_relu, -30, 40, [](double x) { return x >= 0 ? x : 0.2 * x; });
  one("elu", F::elu, -9, 10, [](double x) { return x >= 0 ? x : std::expm1(x); });
  one("selu", F::selu, -9, 10, [](double x) {
    return 1.0507009873554804934193349852946 * (x > 0 ? x : 1.6732632423543772848170429916717 * std::expm1(x));
  });
  one("sigmoid", F::sigmoid, -12, 13, [](double x) { return 1 / (1 + std::exp(-x)); });
  one("hard_sigmoid", F::hard_sigmoid, -8, 9, [](double x) { return std::min(1., std::max(0., 0.2 * x + 0.5)); });
  one("tanh", F::tanh, -6, 7, [](double x) { return std::tanh(x); });
  one("softplus", F::softplus, -12, 13, [](double x) { return std::log1p(std::exp(x)); });
  one("clipped_relu", F::clipped_relu, -11, 41, [](double x) { return std::min(std::max(x, 0.), 20.); });

  one("absolute", F::absolute, -30, 40, [](double x) { return std::abs(x); });
  one("exp", F::exp, -6, 3, [](double x) { return std::exp(x); });
  one("expm1", F::expm1, -6, 3, [](double x) { return std::expm1(x); });
  one("log", F::log, 0.2, 50, [](double x) { return std::log(x); });
  one("log10", F::log10, 0.2, 50, [](double x) { return std::log10(x); });
  one("log1p", F::log1p, -0.7, 20, [](double x) { return std::log1p(x); });
  one("log2", F::log2, 0.2, 50, [](double x) { return std::log2(x); });
  one("sqrt", F::sqrt, 0.2, 50, [](double x) { return std::sqrt(x); });
  one("rsqrt", F::rsqrt, 0.2, 50, [](double x) { return 1 / std::sqrt(x); });
  one("square", F::square, -8, 9, [](double x) { return x * x; });
  one(
      "identity", [](const Variable& x) { return F::identity(x); }, -8, 9, [](double x) { return x; });
  one(
      "clip", [](const Variable& x) { return F::clip(x, -2.1, 3.3); }, -9, 10,
      [](double x) { return std::min(std::max(x, -2.1), 3.3); });
  one(
      "floor", F::floor, -9.3, 10.1, [](double x) { return std::floor(x); }, false);
  one(
      "ceil", F::ceil, -9.3, 10.1, [](double x) { return std::ceil(x); }, false);
  one(
      "fix", F::fix, -9.3, 10.1, [](double x) { return std::trunc(x); }, false);
  one(
      "sign", F::sign, -9.3, 10.1, [](double x) { return double((x > 0) - (x < 0)); }, false);

  one("arccos", F::arccos, -0.85, 0.83, [](double x) { return std::acos(x); });
  one("arcsin", F::arcsin, -0.85, 0.83, [](double x) { return std::asin(x); });
  one("arctan", F::arctan, -20, 25, [](double x) { return std::atan(x); });
  one("cos", F::cos, -20, 25, [](double x) { return std::cos(x); });
  one("cosh", F::cosh, -4, 3, [](double x) { return std::cosh(x); });
  one("sin", F::sin, -20, 25, [](double x) { return std::sin(x); });
  one("sinh", F::sinh, -4, 3, [](double x) { return std::sinh(x); });
  one("tan", F::tan, -1.1, 1.2, [](double x) { return std::tan(x); });
  one("erf", F::erf, -3, 3.5, [](double x) { return std::erf(x); });
  one("erfc", F::erfc, -3, 3.5, [](double x) { return std::erfc(x); });
  // Values of these against an independent source are in special_test.cpp.
  one("digamma", F::digamma, 0.4, 30);
  one("lgamma", F::lgamma, 0.4, 30, [](double x) { return std::lgamma(x); });
  one("erfcx", F::erfcx, -1.5, 9);
  one("erfinv", F::erfinv, -0.9, 0.87);
  one("erfcinv", F::erfcinv, 0.1, 1.87);
  one("log_ndtr", F::log_ndtr, -9, 4);
  one("ndtr", F::ndtr, -4, 3.5, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.)); });
  one("ndtri", F::ndtri, 0.05, 0.94);

  // Two arguments: the reference goes through pairs of numbers.
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
