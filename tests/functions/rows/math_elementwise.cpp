#include <cmath>

#include "table.h"

namespace table {

void math_elementwise(std::vector<OpCase>& t) {
  const auto inside = [](const Shape& s) { return sigmoid(normal(s)) * 1.6 - 0.8; };
  t.push_back(unary("arccos", F::arccos, inside({3, 4}), [](double x) { return std::acos(x); }));
  t.push_back(unary("arcsin", F::arcsin, inside({3, 4}), [](double x) { return std::asin(x); }));
  t.push_back(unary("arctan", F::arctan, normal({3, 4}), [](double x) { return std::atan(x); }));
  t.push_back(unary("cos", F::cos, normal({3, 4}), [](double x) { return std::cos(x); }));
  t.push_back(unary("cosh", F::cosh, normal({3, 4}), [](double x) { return std::cosh(x); }));
  t.push_back(unary("erf", F::erf, normal({3, 4}), [](double x) { return std::erf(x); }));
  t.push_back(unary("erfc", F::erfc, normal({3, 4}), [](double x) { return std::erfc(x); }));
  t.push_back(unary("expm1", F::expm1, normal({3, 4}), [](double x) { return std::expm1(x); }));
  t.push_back(unary("log10", F::log10, positive({3, 4}), [](double x) { return std::log10(x); }));
  t.push_back(unary("log1p", F::log1p, positive({3, 4}), [](double x) { return std::log1p(x); }));
  t.push_back(unary("log2", F::log2, positive({3, 4}), [](double x) { return std::log2(x); }));
  t.push_back(unary("rsqrt", F::rsqrt, positive({3, 4}), [](double x) { return 1 / std::sqrt(x); }));
  t.push_back(unary("sin", F::sin, normal({3, 4}), [](double x) { return std::sin(x); }));
  t.push_back(unary("sinh", F::sinh, normal({3, 4}), [](double x) { return std::sinh(x); }));
  t.push_back(unary("tan", F::tan, inside({3, 4}), [](double x) { return std::tan(x); }));
  t.push_back(unary("ceil", F::ceil, away({3, 4}) * 3, [](double x) { return std::ceil(x); }).no_gradient());
  t.push_back(unary("fix", F::fix, away({3, 4}) * 3, [](double x) { return std::trunc(x); }).no_gradient());
  t.push_back(
      unary("sign", F::sign, away({3, 4}) * 3, [](double x) { return double((x > 0) - (x < 0)); }).no_gradient());
  const auto two = [&](const std::string& name, auto f, const Arrays& in) {
    t.push_back(row(
                    name, "F." + name + "(x[0], x[1])", [f](const Variables& v) { return f(v[0], v[1]); }, in)
                    .elementwise());
  };
  two("arctan2", F::arctan2, {away({3, 4}), positive({3, 4})});
  two("fmod", F::fmod, {array({{3.3, -3.4, 0.7}, {5.1, -0.2, 9.9}}), array({{1., 2., 3.}, {-2., 1., 4.}})});
  t.back().elementwise = false;  // zero divisors have no remainder
  two("squared_difference", F::squared_difference, {normal({3, 4}), normal({3, 4})});
  t.push_back(row("linear_interpolate", "F.linear_interpolate(*x)",
                  [](const Variables& x) { return F::linear_interpolate(x[0], x[1], x[2]); },
                  {sigmoid(normal({3, 4})), normal({3, 4}), normal({3, 4})})
                  .elementwise());
  // Special functions: values against an independent source are in special_test.cpp.
  const auto special = [&](const std::string& name, auto f, const Array& x) {
    t.push_back(row(name, "F." + name + "(x[0])", [f](const Variables& v) { return f(v[0]); }, {x}).elementwise());
  };
  special("digamma", F::digamma, positive({3, 4}) * 3);
  special("digamma", F::digamma, array({-0.7, -1.4, -3.3}));
  special("erfcinv", F::erfcinv, inside({3, 4}) + 1);
  special("erfcx", F::erfcx, normal({3, 4}));
  special("erfcx", F::erfcx, array({12., 25., 40.}));
  special("erfinv", F::erfinv, inside({3, 4}));
  special("lgamma", F::lgamma, positive({3, 4}) * 3);
  special("lgamma", F::lgamma, array({-0.7, -1.4, -3.3}));
  special("log_ndtr", F::log_ndtr, normal({3, 4}) * 3);
  special("log_ndtr", F::log_ndtr, array({-15., -8., 6.}));
  special("ndtr", F::ndtr, normal({3, 4}));
  special("ndtri", F::ndtri, inside({3, 4}) / 2 + 0.5);
  for (const auto& [n, x] :
       {std::pair(array({0, 1, 2, 3}), positive({3, 4}) + 0.5), std::pair(array({2}), array({-0.7, -1.4, -3.3})),
        std::pair(array(5), positive({2, 1, 3}) + 1)}) {
    t.push_back(
        row("polygamma", "F.polygamma(*x)", [](const Variables& v) { return F::polygamma(v[0], v[1]); }, {n, x}));
    t.back().eps = 2e-5;  // it is steep between its poles
  }
}

}  // namespace table
