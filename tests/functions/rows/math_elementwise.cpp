// SPDX-License-Identifier: MIT
#include <cmath>

#include "table.h"

namespace table {

void math_elementwise(std::vector<OpCase>& t) {
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
  // Special functions: special_test.cpp compares values with an independent source.
  const auto special = [&](const std::string& name, auto f, const Array& x) {
    t.push_back(row(name, "F." + name + "(x[0])", [f](const Variables& v) { return f(v[0]); }, {x}).elementwise());
  };
  special("digamma", F::digamma, array({-0.7, -1.4, -3.3}));
  special("erfcx", F::erfcx, array({12., 25., 40.}));
  special("lgamma", F::lgamma, array({-0.7, -1.4, -3.3}));
  special("log_ndtr", F::log_ndtr, array({-15., -8., 6.}));
  for (const auto& [n, x] :
       {std::pair(array({0, 1, 2, 3}), positive({3, 4}) + 0.5), std::pair(array({2}), array({-0.7, -1.4, -3.3})),
        std::pair(array(5), positive({2, 1, 3}) + 1)}) {
    t.push_back(
        row("polygamma", "F.polygamma(*x)", [](const Variables& v) { return F::polygamma(v[0], v[1]); }, {n, x}));
    t.back().eps = 2e-5;  // steep between the poles
  }
}

}  // namespace table
