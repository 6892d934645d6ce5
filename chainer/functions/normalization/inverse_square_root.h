// SPDX-License-Identifier: MIT
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// Returns a^(-1/2) for each symmetric, positive definite matrix of a (N, n, n), computed in float64. A matrix with a
/// NaN or an infinity gives NaN.
Variable inverse_square_root(const Variable& a);

}  // namespace chainer::functions
