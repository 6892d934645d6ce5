// SPDX-License-Identifier: MIT
// What the emulation and a library compiled from a user's text exchange.
#pragma once
#include "chainer/backend/cuda/emulation/emulation.h"

namespace chainer::cuda::emulation {

/// The functions of the emulation that such a library calls.
struct TextTable {
  const Place* (*place)();
  void (*block_barrier)(int line);
  uint64_t (*warp_meeting)(WarpOp op, uint32_t mask, uint64_t value, int source, int line);
  int (*lane)();
  void* (*dynamic_shared)();
};
/// Its kernel, and the bytes of its parameters.
struct TextKernel {
  void (*kernel)() = nullptr;
  Entry entry = nullptr;
  std::size_t bytes = 0;
};
/// The function chainer_text_kernel of the library.
using IntroduceText = void (*)(const TextTable* table, TextKernel* out);

}  // namespace chainer::cuda::emulation
