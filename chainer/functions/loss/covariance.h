// SPDX-License-Identifier: MIT
// Shared by cross_covariance and decov.
#pragma once
#include "chainer/autograd/mixed_precision.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

/// Returns the covariances (M, L) between the columns of y (N, M) and z (N, L).
inline Variable covariance(const Variable& y, const Variable& z) {
  const PlainPrecision plain;
  return matmul(y - mean(y, 0, {.keepdims = true}), z - mean(z, 0, {.keepdims = true}), {.transa = true}) /
         static_cast<double>(y.shape()[0]);
}
/// Returns half the sum of the squares of c, or c itself.
inline Variable reduce_covariance(const Variable& c, CovarianceReduction reduce) {
  return reduce == CovarianceReduction::no ? c : sum(square(c)) * 0.5;
}

}  // namespace chainer::functions
