// SPDX-License-Identifier: MIT
// Scratch memory of a call.
#pragma once
#include <cstddef>
#include <cstdint>

#include "chainer/array/memory.h"

namespace chainer::cpu {

/// An array of n uninitialized floats, freed by the destructor.
class ScratchBuffer {
 public:
  explicit ScratchBuffer(int64_t n) : block_(memory::allocate(static_cast<std::size_t>(n) * sizeof(float))) {}
  ScratchBuffer(const ScratchBuffer&) = delete;
  ScratchBuffer& operator=(const ScratchBuffer&) = delete;
  ~ScratchBuffer() { memory::release(block_); }
  float* data() const { return static_cast<float*>(block_.data); }

 private:
  memory::Block block_;
};

}  // namespace chainer::cpu
