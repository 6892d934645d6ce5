// Inner products with rows picked by index: the part that losses with sampled or hierarchical classes share.
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// y[i, j] = x[i] . W[index[i, j]] for x (n, d), W (v, d) and an int64 index (n, k) that was checked. Differentiable
/// to any order: its gradients are made of the same three operations.
Variable rows_dot(const Variable& x, const Variable& W, const Array& index);

}  // namespace chainer::functions
