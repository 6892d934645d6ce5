// Rows that are normalized, for functions whose arrays lie on the host; elsewhere they go through functions.
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer::host_math {

/// Whether the functions below take such arrays: float32 or float64 on the host, without gaps in C order.
bool takes_rows(const Array& a);

/// The gradient of softmax, or of its logarithm, along the last axis, from the result y and its gradient.
Array softmax_grad(bool log, const Array& gy, const Array& y);

/// Rows with mean 0 and variance 1, times gamma plus beta. A row has `keys` runs of `run` elements; those of row r have
/// the factors gamma[r % groups * keys + key].
struct AffineRows {
  int64_t rows, groups, keys, run;
  double eps;
};
/// Results; `mean` and `rstd`, of one float64 a row, get what the gradient needs.
Array affine_rows(const AffineRows& r, const Array& x, const Array& gamma, const Array& beta, Array& mean, Array& rstd);
/// The gradients by x, gamma and beta.
Arrays affine_rows_grad(const AffineRows& r, const Array& x, const Array& gamma, const Array& gy, const Array& mean,
                        const Array& rstd);

}  // namespace chainer::host_math
