// What crf1d and argmax_crf1d share.
#pragma once
#include <string_view>

#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// Throws unless cost is (K, K) and xs are (B_i, K) of one floating dtype with B_i not growing.
void check_crf1d(std::string_view name, const Variable& cost, const Variables& xs);

}  // namespace chainer::functions
