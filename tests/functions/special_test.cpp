// SPDX-License-Identifier: MIT
// Special functions compared with values computed with 60 digits (conformance/make_special.py), and at the ends of
// their ranges.
#include <chainer/chainer.h>

#include <cmath>
#include <limits>

#include "test.h"

using namespace chainer;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

void compare(const std::string& name, const Array& x, const Array& ours, const Array& expected) {
  const std::vector<double> at = x.to_vector<double>(), a = ours.to_vector<double>(), b = expected.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    ++test::expectations;
    const double allowed = 1e-12 * std::max(1.0, std::abs(b[i]));
    if (a[i] == b[i] || std::abs(a[i] - b[i]) <= allowed) continue;
    test::fail(name.c_str(), 0, text("at ", at[i], ": ", a[i], ", expected ", b[i]));
  }
}

// A build without Boost.Math lacks some of the functions.
template <class F>
void if_available(F&& f) {
  try {
    f();
  } catch (const MissingPartError& e) { std::fprintf(stderr, "left out: %s\n", e.what()); }
}

}  // namespace

TEST(special_functions_have_twelve_digits) {
  const serializers::NpzFile values(TEST_DATA "../conformance/special.npz");
  const auto check = [&](const std::string& name, auto f) {
    if_available([&] {
      const Array x = values.array(name + "/x");
      compare(name, x, f(x).array(), values.array(name + "/y"));
    });
  };
  check("digamma", F::digamma);
  check("lgamma", F::lgamma);
  check("erfinv", F::erfinv);
  check("erfcinv", F::erfcinv);
  check("erfcx", F::erfcx);
  check("ndtr", F::ndtr);
  check("ndtri", F::ndtri);
  check("log_ndtr", F::log_ndtr);
  if_available([&] {
    const Array x = values.array("polygamma/x");
    compare("polygamma", x, F::polygamma(values.array("polygamma/n"), x).array(), values.array("polygamma/y"));
  });
}

TEST(special_functions_at_their_ends) {
  const auto at = [](auto f, double x) { return f(array({x})).array().template item<double>(); };
  EXPECT(at(F::erfcx, kInf) == 0 && at(F::erfcx, -kInf) == kInf && std::isnan(at(F::erfcx, NAN)));
  EXPECT(at(F::log_ndtr, -kInf) == -kInf && at(F::log_ndtr, kInf) == 0);
  EXPECT(at(F::ndtr, -kInf) == 0 && at(F::ndtr, kInf) == 1);
  EXPECT(at(F::lgamma, 0) == kInf && at(F::lgamma, -2) == kInf);
  if_available([&] {
    EXPECT(at(F::erfinv, 1) == kInf && at(F::erfinv, -1) == -kInf && std::isnan(at(F::erfinv, 1.5)));
    EXPECT(at(F::erfcinv, 0) == kInf && at(F::erfcinv, 2) == -kInf && std::isnan(at(F::erfcinv, -0.1)));
    EXPECT(at(F::ndtri, 0) == -kInf && at(F::ndtri, 1) == kInf && std::isnan(at(F::ndtri, 2)));
    EXPECT(at(F::digamma, 0) == -kInf && std::isnan(at(F::digamma, -1)) && at(F::digamma, kInf) == kInf);
    EXPECT_THROW(ValueError, "n must not be negative, got -1", F::polygamma(array({-1}), array({1.})));
    EXPECT_THROW(InvalidType, "n.dtype().kind()", F::polygamma(array({1.}), array({1.})));
  });
}
