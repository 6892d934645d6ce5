#include <cmath>
#include <numbers>

#include "chainer/functions/activation.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable GaussianKlDivergence::operator()(const Variable& mean, const Variable& ln_var, Reduction reduce) const {
  return reduced((mean * mean + exp(ln_var) - ln_var - 1) * 0.5, reduce, name, {Reduction::sum, Reduction::no});
}
Variable BernoulliNll::operator()(const Variable& x, const Variable& y, Reduction reduce) const {
  return reduced(softplus(y) - x * y, reduce, name, {Reduction::sum, Reduction::no});
}
Variable GaussianNll::operator()(const Variable& x, const Variable& mean, const Variable& ln_var,
                                 Reduction reduce) const {
  const Variable loss = (ln_var + std::log(2 * std::numbers::pi)) * 0.5 + square(x - mean) * exp(-ln_var) * 0.5;
  return reduced(loss, reduce, name, {Reduction::sum, Reduction::no});
}

}  // namespace chainer::functions
