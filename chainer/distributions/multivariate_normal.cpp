// SPDX-License-Identifier: MIT
#include "chainer/autograd/mixed_precision.h"
#include "chainer/distributions/parameters.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"

namespace chainer::distributions {
namespace {

// log |det L| of triangular matrices.
Variable log_det(const Variable& tril) { return F::sum(F::log(F::absolute(F::diagonal(tril, 0, -2, -1))), -1); }

// L^-1, from the lower triangle of L only.
Variable inverse(const Variable& tril) {
  const int64_t d = tril.shape(-1);
  const Array lower =
      less_equal(arange(d).reshape({1, d}), arange(d).reshape({d, 1})).astype(tril.dtype()).to_device(tril.device());
  return F::batch_inv((tril * lower).reshape({-1, d, d})).reshape(tril.shape());
}

}  // namespace

MultivariateNormal::MultivariateNormal(const Variable& l, const MultivariateNormalOptions& o)
    : loc(widened(l)), scale_tril(widened(o.scale_tril)) {
  if (!loc || !scale_tril)
    throw ValueError("MultivariateNormal: parameter '", loc ? "scale_tril" : "loc", "' is missing");
  if (!is_floating(loc.dtype()) || loc.dtype() != scale_tril.dtype())
    throw TypeError("MultivariateNormal: parameters must have the same floating dtype, got ", loc.dtype(), " and ",
                    scale_tril.dtype());
  if (loc.ndim() < 1 || scale_tril.ndim() < 2 || scale_tril.shape(-1) != loc.shape(-1) ||
      scale_tril.shape(-2) != loc.shape(-1))
    throw DimensionError("MultivariateNormal: loc and scale_tril must have shapes (..., d) and (..., d, d), got ",
                         loc.shape(), " and ", scale_tril.shape());
  const int64_t d = loc.shape(-1);
  Shape batch = broadcast_shapes(Shape(loc.shape().begin(), loc.shape().end() - 1),
                                 Shape(scale_tril.shape().begin(), scale_tril.shape().end() - 2), "MultivariateNormal");
  batch.push_back(d);
  if (loc.shape() != batch) loc = F::broadcast_to(loc, batch);
  batch.push_back(d);
  if (scale_tril.shape() != batch) scale_tril = F::broadcast_to(scale_tril, batch);
}

Variable MultivariateNormal::sample_n(int64_t n) const {
  const PlainPrecision plain;
  Shape shape = with_samples(n, loc.shape());
  shape.push_back(1);
  return loc + F::squeeze(F::matmul(scale_tril, drawn(random::global().standard_normal(shape, loc.dtype()), loc)), -1);
}

Variable MultivariateNormal::log_prob(const Variable& x) const {
  const Variable at = widened(x);
  const PlainPrecision plain;
  const Variable z = F::squeeze(F::matmul(inverse(scale_tril), F::expand_dims(at - loc, -1)), -1);
  return -0.5 * F::sum(F::square(z), -1) - log_det(scale_tril) - kHalfLog2Pi * static_cast<double>(loc.shape(-1));
}

Variable MultivariateNormal::entropy() const {
  return log_det(scale_tril) + (0.5 + kHalfLog2Pi) * static_cast<double>(loc.shape(-1));
}

Variable MultivariateNormal::variance() const { return F::sum(F::square(scale_tril), -1); }
Variable MultivariateNormal::covariance() const {
  const PlainPrecision plain;
  return F::matmul(scale_tril, scale_tril, {.transb = true});
}

Variable kl(const MultivariateNormal& p, const MultivariateNormal& q) {
  const PlainPrecision plain;
  const Variable inv_q = inverse(q.scale_tril);
  const Variable trace = F::sum(F::square(F::matmul(inv_q, p.scale_tril)), {-2, -1});
  const Variable distance = F::sum(F::square(F::squeeze(F::matmul(inv_q, F::expand_dims(p.loc - q.loc, -1)), -1)), -1);
  return log_det(q.scale_tril) - log_det(p.scale_tril) +
         0.5 * (trace + distance - static_cast<double>(p.loc.shape(-1)));
}

}  // namespace chainer::distributions
