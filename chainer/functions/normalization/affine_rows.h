// SPDX-License-Identifier: MIT
// Layer and group normalization on the host: one pass forward, one backward.
#pragma once
#include <functional>
#include <string>

#include "chainer/autograd/variable.h"
#include "chainer/array/host_kernels/normalize.h"

namespace chainer::functions {

/// Standardizes the rows of x, multiplies by gamma and adds beta. `composed` computes the same from (x, gamma, beta) by
/// functions; it is used for gradients with a graph, exports, and arrays of other devices, memory orders and dtypes.
Variable affine_rows(const std::string& label, const Variable& x, const Variable& gamma, const Variable& beta,
                     const host_kernels::AffineRows& rows, const std::function<Variable(const Variables&)>& composed);

}  // namespace chainer::functions
