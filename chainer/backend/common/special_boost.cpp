// The special functions that Boost.Math has.
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <cmath>
#include <limits>

#include "chainer/backend/common/special.h"

namespace chainer::special {
namespace {

using namespace boost::math::policies;
using Quiet = policy<domain_error<ignore_error>, pole_error<ignore_error>, overflow_error<ignore_error>,
                     evaluation_error<ignore_error>, promote_double<false>>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void expect_available(std::string_view) {}

double digamma(double x) {
  if (x == 0) return -std::copysign(kInf, x);
  if (!std::isfinite(x)) return x > 0 ? kInf : kNan;
  return boost::math::digamma(x, Quiet());
}

double erfcinv(double x) { return x != x ? x : boost::math::erfc_inv(x, Quiet()); }

double erfinv(double x) { return x != x ? x : boost::math::erf_inv(x, Quiet()); }

double polygamma(double n, double x) {
  if (!(n >= 0) || n != std::floor(n) || n > 1e6) return kNan;
  if (n == 0) return digamma(x);
  if (!std::isfinite(x)) return x > 0 ? 0 : kNan;
  if (x <= 0 && x == std::floor(x)) return kInf;
  const double y = boost::math::polygamma(static_cast<int>(n), x, Quiet());
  // Beyond the largest number its sign is lost: that of -(-x)^-(n + 1).
  return std::isinf(y) ? (x > 0 && std::fmod(n, 2) == 0 ? -kInf : kInf) : y;
}

}  // namespace chainer::special
