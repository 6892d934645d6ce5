// SPDX-License-Identifier: MIT
// Normalization of rows on the host, for functions whose arrays are on the host.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::host_kernels {

/// Returns true if the functions below support an array: float32 or float64 on the host, in C order without gaps.
bool takes_rows(const Array& a);

/// Returns the gradient of softmax or log-softmax along the last axis with respect to the input, from its result y and
/// the gradient gy with respect to y.
Array softmax_grad(bool log, const Array& gy, const Array& y);

/// Rows normalized to mean 0 and variance 1, times gamma plus beta. A row has `keys` runs of `run` elements; those of
/// row r have the factors gamma[r % groups * keys + key].
struct AffineRows {
  int64_t rows, groups, keys, run;
  double eps;
};
/// Returns the results; writes to `mean` and `rstd` (one float64 per row) what the gradient needs.
Array affine_rows(const AffineRows& r, const Array& x, const Array& gamma, const Array& beta, Array& mean, Array& rstd);
/// Returns the gradients with respect to x, gamma and beta.
Arrays affine_rows_grad(const AffineRows& r, const Array& x, const Array& gamma, const Array& gy, const Array& mean,
                        const Array& rstd);

/// Rows divided by the root of their mean square, times gamma, which has the length of a row. Writes to `rstd` (one
/// float64 per row) what the gradient needs.
Array rms_rows(const Array& x, const Array& gamma, double eps, Array& rstd);
/// Returns the gradients with respect to x and gamma.
Arrays rms_rows_grad(const Array& x, const Array& gamma, const Array& gy, const Array& rstd);

}  // namespace chainer::host_kernels
