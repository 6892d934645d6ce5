// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/activation.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable GaussianKlDivergence::operator()(const Variable& mean, const Variable& ln_var, Reduction reduce) const {
  if (are_narrow(mean, ln_var)) return (*this)(widened(mean), widened(ln_var), reduce);
  const Variable sigma = exp(ln_var * 0.5);  // exp(ln_var) may overflow where half of it does not
  return reduced((mean * mean - ln_var - 1) * 0.5 + sigma * 0.5 * sigma, reduce, name, {Reduction::sum, Reduction::no});
}
Variable BernoulliNll::operator()(const Variable& x, const Variable& y, Reduction reduce) const {
  if (are_narrow(x, y)) return (*this)(widened(x), widened(y), reduce);
  // softplus(y) - x y, without subtracting large numbers where x is 1.
  const Variable positive = 1 - relu(-sign(y));
  const Variable loss = softplus(y * (1 - 2 * positive)) + y * (positive - x);
  return reduced(loss, reduce, name, {Reduction::sum, Reduction::no});
}
Variable GaussianNll::operator()(const Variable& x, const Variable& mean, const Variable& ln_var,
                                 Reduction reduce) const {
  if (are_narrow(x, mean, ln_var)) return (*this)(widened(x), widened(mean), widened(ln_var), reduce);
  const Variable z = (x - mean) * exp(ln_var * -0.5);
  const Variable loss = (ln_var + std::log(2 * std::numbers::pi)) * 0.5 + z * 0.5 * z;
  return reduced(loss, reduce, name, {Reduction::sum, Reduction::no});
}

}  // namespace chainer::functions
