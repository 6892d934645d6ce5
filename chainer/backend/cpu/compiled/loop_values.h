// SPDX-License-Identifier: MIT
// What a compiler of loops must know of their values.
#pragma once
#include <vector>

#include "chainer/backend/cpu/compiled/fused_loop.h"

namespace chainer::cpu {

/// Returns for each value the number of the last instruction that reads it; -1 if none does.
std::vector<int> last_uses(const FusedLoop& loop);
/// Returns the largest number of registers in use at once. With `hoisted`, each repeated value keeps a register.
int most_live(const FusedLoop& loop, bool hoisted);
/// Returns the number of repeated values.
int repeated_values(const FusedLoop& loop);
/// Returns for each value whether its NaNs are quiet and have lower halves of zero, so that rounding to bfloat16 keeps
/// them. The NaN of an operation without a NaN among its operands is such a one; otherwise it is that of an operand.
std::vector<bool> clean_values(const FusedLoop& loop);

}  // namespace chainer::cpu
