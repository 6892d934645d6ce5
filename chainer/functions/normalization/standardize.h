// SPDX-License-Identifier: MIT
// Shared by layer and group normalization.
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// Subtracts from each row of x (n, d) its mean and divides by the square root of its variance plus eps.
Variable standardize(const Variable& x, double eps);

}  // namespace chainer::functions
