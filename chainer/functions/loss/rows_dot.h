// SPDX-License-Identifier: MIT
// Inner products with rows selected by index, shared by losses with sampled or hierarchical classes.
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// Computes y[i, j] = x[i] . W[index[i, j]] for x (n, d), W (v, d) and an int64 index (n, k) within 0 ... v - 1, which
/// is not checked. Differentiable to any order: the gradients consist of the same three operations. Throws
/// DimensionError if the shapes do not match.
Variable rows_dot(const Variable& x, const Variable& W, const Array& index);

}  // namespace chainer::functions
