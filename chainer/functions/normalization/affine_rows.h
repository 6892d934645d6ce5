// What layer and group normalization are on the host: one pass forward, one backward.
#pragma once
#include <functional>
#include <string>

#include "chainer/autograd/variable.h"
#include "chainer/backend/common/host_normalize.h"

namespace chainer::functions {

/// The rows of x standardized, times gamma plus beta. `composed` is the same of (x, gamma, beta) in functions: what
/// gradients with a graph, exports, and arrays of other devices, orders and dtypes go through.
Variable affine_rows(const std::string& label, const Variable& x, const Variable& gamma, const Variable& beta,
                     const host_math::AffineRows& rows, const std::function<Variable(const Variables&)>& composed);

}  // namespace chainer::functions
