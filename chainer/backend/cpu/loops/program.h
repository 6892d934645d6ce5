// SPDX-License-Identifier: MIT
// Execution of a program on ranges of its space, for callers that compute its operands in parts.
#pragma once
#include <cstdint>
#include <functional>

#include "chainer/array/deferred/pending.h"

namespace chainer::cpu {

/// Returns true for a register of a 16-bit dtype: it holds floats that are rounded to it, so that reading it as float32
/// needs no conversion.
bool is_rounded(const Program::Slot& s);
/// Returns true for such a conversion to float32: its result is the register itself.
bool reads_rounded(const Program& p, const Program::Instruction& i);

/// Computes elements [begin, end) of a program's space, in memory order. May be called by several threads at once.
using Stretch = std::function<void(int64_t begin, int64_t end)>;
/// Returns the function for a program without reductions, which must outlive it.
Stretch stretches(const Program& program);

}  // namespace chainer::cpu
