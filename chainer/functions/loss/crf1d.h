// SPDX-License-Identifier: MIT
// Shared by crf1d and argmax_crf1d.
#pragma once
#include <string_view>

#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// Throws ValueError, DimensionError or TypeError unless cost is (K, K) and xs are (B_i, K) of one floating dtype, with
/// B_i never growing.
void check_crf1d(std::string_view name, const Variable& cost, const Variables& xs);

}  // namespace chainer::functions
