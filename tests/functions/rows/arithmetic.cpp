// SPDX-License-Identifier: MIT
#include <cmath>

#include "table.h"

namespace table {

void arithmetic(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), line = normal({4}), column = normal({3, 1}), cube = normal({2, 3, 4});
  const auto one = [&](const std::string& name, const std::string& python, auto f, const Array& x,
                       double (*formula)(double)) {
    t.push_back(row(name, python, [f](const Variables& v) { return f(v[0]); }, {x}).elementwise().formula(formula));
  };
  one(
      "neg", "-x[0]", [](const Variable& x) { return -x; }, m, [](double x) { return -x; });
  one(
      "add", "2 + x[0] - 0.5", [](const Variable& x) { return 2 + x - 0.5; }, m, [](double x) { return x + 1.5; });
  one(
      "sub", "2 - x[0]", [](const Variable& x) { return 2 - x; }, m, [](double x) { return 2 - x; });
  one(
      "mul", "x[0] * -3", [](const Variable& x) { return x * -3; }, m, [](double x) { return -3 * x; });
  one(
      "div", "x[0] / 4", [](const Variable& x) { return x / 4; }, m, [](double x) { return x / 4; });
  one(
      "div", "2. / x[0]", [](const Variable& x) { return 2.0 / x; }, positive({3, 4}), [](double x) { return 2 / x; });
  one(
      "pow", "x[0] ** 3", [](const Variable& x) { return pow(x, 3); }, m, [](double x) { return x * x * x; });
  one(
      "pow", "x[0] ** 0.5", [](const Variable& x) { return pow(x, 0.5); }, positive({3, 4}), std::sqrt);
  one(
      "pow", "x[0] ** 2", [](const Variable& x) { return pow(x, 2); }, m, [](double x) { return x * x; });
  one(
      "pow", "2. ** x[0]", [](const Variable& x) { return pow(2.0, x); }, m, std::exp2);

  const auto two = [&](const std::string& name, const std::string& python, auto f, const Array& x, const Array& y) {
    return row(name, python, [f](const Variables& v) { return f(v[0], v[1]); }, {x, y});
  };
  const auto plus = [](const Variable& x, const Variable& y) { return x + y; };
  const auto times = [](const Variable& x, const Variable& y) { return x * y; };
  const auto over = [](const Variable& x, const Variable& y) { return x / y; };
  t.push_back(two("add", "x[0] + x[1]", plus, m, normal({3, 4})).elementwise());
  t.push_back(two(
                  "sub", "x[0] - x[1]", [](const Variable& x, const Variable& y) { return x - y; }, m, normal({3, 4}))
                  .elementwise());
  t.push_back(two("mul", "x[0] * x[1]", times, m, normal({3, 4})).elementwise());
  t.push_back(two("div", "x[0] / x[1]", over, m, positive({3, 4})).elementwise());
  const Array base = positive({3, 4}), exponent = positive({3, 4});
  t.push_back(two(
                  "pow", "x[0] ** x[1]", [](const Variable& x, const Variable& y) { return pow(x, y); }, base, exponent)
                  .elementwise());
  // The reference's operators do not broadcast variables, so F.broadcast is applied first.
  t.push_back(two("add", "sum(F.broadcast(x[0], x[1]))", plus, column, line));
  t.push_back(two("mul", "(lambda a, b: a * b)(*F.broadcast(x[0], x[1]))", times, cube, column));
  t.push_back(two("div", "(lambda a, b: a / b)(*F.broadcast(x[0], x[1]))", over, column, positive({4})));
  t.push_back(row("add", "F.add(*x)", [](const Variables& x) { return F::add(x); }, {m, m * 2, normal({3, 4})}));
  t.push_back(row("mul", "x[0] * np.array([[1, 2, 3, 4]] * 3) + np.full((3, 4), 0.5)",
                  [](const Variables& x) {
                    const Device device = x[0].device();
                    return x[0] * array({1, 2, 3, 4}).to_device(device) + array({0.5}).to_device(device);
                  },
                  {m}));
}

}  // namespace table
