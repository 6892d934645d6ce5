// SPDX-License-Identifier: MIT
// Execution of a program on ranges of its space, for callers that compute its operands in parts.
#pragma once
#include <cstdint>
#include <functional>

#include "chainer/array/deferred/pending.h"

namespace chainer::cpu {

/// Computes elements [begin, end) of a program's space, in memory order. May be called by several threads at once.
using Stretch = std::function<void(int64_t begin, int64_t end)>;
/// Returns the function for a program without reductions, which must outlive it.
Stretch stretches(const Program& program);

}  // namespace chainer::cpu
