// A program a stretch at a time, for whoever makes its operands a part at a time.
#pragma once
#include <cstdint>
#include <functional>

#include "chainer/array/deferred/pending.h"

namespace chainer::cpu {

/// Computes elements [begin, end) of a program's space, in memory order. Several threads may call it at once.
using Stretch = std::function<void(int64_t begin, int64_t end)>;
/// Of a program without reductions, which has to live as long.
Stretch stretches(const Program& program);

}  // namespace chainer::cpu
