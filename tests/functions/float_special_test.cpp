// SPDX-License-Identifier: MIT
// Special functions in float32 arithmetic, and remainders and angles by vectors, compared with float64.
#include <chainer/chainer.h>

#include <cmath>
#include <limits>

#include "test.h"

using namespace chainer;

namespace float_special {

// Numbers between two ends: evenly spaced, and with absolute values down to 1e-30; also just outside either end.
Array points(double low, double high) {
  random::RandomState r(9);
  const Array even = r.uniform(low, high, {4000});
  const Array sizes = exp(r.uniform(-69, std::log(std::max(std::abs(low), std::abs(high))), {4000}));
  Array all = concatenate({even, sizes, -sizes, low + sizes, high - sizes}, 0).astype(float32);
  std::vector<float> inside;
  for (const float v : all.to_vector<float>())
    if (v >= static_cast<float>(low) && v <= static_cast<float>(high)) inside.push_back(v);
  return array(inside, Shape{static_cast<int64_t>(inside.size())});
}

// Compares values and first gradients with tolerances of 5e-6 and 3e-5, relative to the exact number, to its change
// over the last digits of x, or to `scale`. (Gradients may be computed from the rounded value.)
template <class F>
void compare(const std::string& name, F f, double low, double high, double scale = 0) {
  const Variable x(points(low, high)), wide(x.array().astype(float64));
  const Variable y = f(x), truth = f(wide);
  const Variable slope = grad({truth}, {wide}, {.enable_double_backprop = true})[0];
  const auto check = [&](const char* what, const Array& got_, const Array& wanted_, const Array& slope_, double part) {
    const auto at = x.array().to_vector<double>(), got = got_.to_vector<double>();
    const auto wanted = wanted_.to_vector<double>(), change = slope_.to_vector<double>();
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double size = std::max({std::abs(wanted[i]), std::abs(at[i] * change[i]), scale, 1e-37});
      const bool beyond = std::abs(wanted[i]) > 2e37 || std::abs(wanted[i]) < 1e-36;
      const double error = beyond || got[i] == wanted[i] ? 0 : std::abs(got[i] - wanted[i]) / size;
      if (!(error <= worst)) worst = error, where = i;
    }
    ++test::expectations;
    if (!(worst <= part))
      test::fail(
          __FILE__, __LINE__,
          text(name, what, " at ", at[where], ": ", got[where], " instead of ", wanted[where], ", ", worst, " away"));
  };
  check("", y.array(), truth.array(), slope.array(), 5e-6);
  const Variable second = grad({slope}, {wide})[0];
  check("'s gradient", grad({y}, {x})[0].array(), slope.array(), second.array(), 3e-5);
}

}  // namespace float_special

using namespace float_special;

TEST(special_functions_of_float32) {
  try {
    compare("erfinv", F::erfinv, -0.999999, 0.999999);
    compare("erfcinv", F::erfcinv, 1e-30, 1.999999);
    compare("ndtri", F::ndtri, 1e-30, 0.999999);
    compare("digamma", F::digamma, -20.3, 30, 1);
    compare("digamma", F::digamma, 1e-30, 1e6, 1);
    compare("lgamma", F::lgamma, 1e-30, 30);
    compare("lgamma", F::lgamma, 0.9, 2.1);
    compare("lgamma", F::lgamma, -20.3, 1e5, 1);
  } catch (const MissingPartError& e) { std::fprintf(stderr, "left out: %s\n", e.what()); }
  compare("erfcx", F::erfcx, -5, 20);
  compare("erfcx", F::erfcx, 0, 1e6);
  compare("ndtr", F::ndtr, -12, 6);
  compare("log_ndtr", F::log_ndtr, -30, 5);
}

TEST(special_functions_of_float32_at_their_ends) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto at = [](auto f, double x) { return f(array({static_cast<float>(x)})).array().template item<double>(); };
  EXPECT(at(F::erfcx, inf) == 0 && at(F::erfcx, -inf) == inf && at(F::erfcx, -20) == inf &&
         std::isnan(at(F::erfcx, NAN)));
  EXPECT(at(F::log_ndtr, -inf) == -inf && at(F::log_ndtr, inf) == 0 && at(F::log_ndtr, -1e30) == -inf);
  EXPECT(at(F::ndtr, -inf) == 0 && at(F::ndtr, inf) == 1);
  EXPECT(at(F::lgamma, 0) == inf && at(F::lgamma, -2) == inf && at(F::lgamma, inf) == inf &&
         at(F::lgamma, -inf) == inf);
  EXPECT(at(F::lgamma, 1) == 0 && at(F::lgamma, 2) == 0 && std::isnan(at(F::lgamma, NAN)));
  try {
    EXPECT(at(F::erfinv, 1) == inf && at(F::erfinv, -1) == -inf && std::isnan(at(F::erfinv, 1.5)) &&
           at(F::erfinv, 0) == 0);
    EXPECT(at(F::erfcinv, 0) == inf && at(F::erfcinv, 2) == -inf && std::isnan(at(F::erfcinv, -0.1)));
    EXPECT(at(F::ndtri, 0) == -inf && at(F::ndtri, 1) == inf && std::isnan(at(F::ndtri, 2)));
    EXPECT(at(F::digamma, 0) == -inf && at(F::digamma, -0.0) == inf && at(F::digamma, inf) == inf);
    EXPECT(std::isnan(at(F::digamma, -1)) && std::isnan(at(F::digamma, -inf)) && std::isnan(at(F::digamma, NAN)));
  } catch (const MissingPartError& e) { std::fprintf(stderr, "left out: %s\n", e.what()); }
}

TEST(remainders_and_angles_of_float32) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> ends{0.f,   -0.f,   1.f,    -1.f,       3.5f, -7.25f, 1e-30f,
                                1e30f, -3e38f, 2e-38f, 16777216.f, inf,  -inf,   nan};
  std::vector<float> a, b;
  for (const float x : ends)
    for (const float y : ends) a.push_back(x), b.push_back(y);
  random::RandomState r(4);
  for (int i = 0; i < 3000; ++i) {
    a.push_back(static_cast<float>(r.randn({}).item<double>() * std::pow(10, i % 12)));
    b.push_back(static_cast<float>(r.randn({}).item<double>()));
  }
  const Shape n{static_cast<int64_t>(a.size())};
  const auto remainder = F::fmod(array(a, n), array(b, n)).array().to_vector<float>();
  const auto angle = F::arctan2(array(a, n), array(b, n)).array().to_vector<float>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float wanted = std::fmod(a[i], b[i]), turn = std::atan2(a[i], b[i]);
    ++test::expectations;
    if (!(remainder[i] == wanted || (remainder[i] != remainder[i] && wanted != wanted)))
      test::fail(__FILE__, __LINE__, text("fmod(", a[i], ", ", b[i], ") is ", remainder[i], ", not ", wanted));
    if (!(std::abs(angle[i] - turn) <= 1e-6f || (angle[i] != angle[i] && turn != turn)))
      test::fail(__FILE__, __LINE__, text("arctan2(", a[i], ", ", b[i], ") is ", angle[i], ", not ", turn));
  }
}
