// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace chainer::cpu {

/// Returns into how many blocks of a size n elements are divided; the last one may be smaller.
constexpr int64_t blocks_of(int64_t n, int64_t size) { return (n + size - 1) / size; }

}  // namespace chainer::cpu
