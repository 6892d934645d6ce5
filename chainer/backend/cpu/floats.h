// Memory of a call.
#pragma once
#include <cstddef>
#include <cstdint>

#include "chainer/array/memory.h"

namespace chainer::cpu {

/// So many floats, of any value, that are there as long as this is.
class Floats {
 public:
  explicit Floats(int64_t n) : block_(memory::allocate(static_cast<std::size_t>(n) * sizeof(float))) {}
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  ~Floats() { memory::release(block_); }
  float* data() const { return static_cast<float*>(block_.data); }

 private:
  memory::Block block_;
};

}  // namespace chainer::cpu
