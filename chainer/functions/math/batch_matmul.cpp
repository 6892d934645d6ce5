// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {
// (N, n) is a stack of vectors: each becomes a matrix of one column.
Variable as_matrices(const Variable& x) { return x.ndim() == 2 ? expand_dims(x, 2) : x; }
}  // namespace

Variable BatchMatmul::operator()(const Variable& a, const Variable& b, const MatmulOptions& options) const {
  if (a.ndim() < 2 || a.ndim() > 3 || b.ndim() < 2 || b.ndim() > 3)
    throw DimensionError("batch_matmul: operands must have 2 or 3 axes, not ", a.ndim(), " and ", b.ndim());
  return matmul(as_matrices(a), as_matrices(b), options);
}

}  // namespace chainer::functions
