// What layer and group normalization share.
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// Each row of x (n, d) minus its mean, over the square root of its variance plus eps.
Variable standardize(const Variable& x, double eps);

}  // namespace chainer::functions
