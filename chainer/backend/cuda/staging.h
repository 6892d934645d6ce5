// SPDX-License-Identifier: MIT
// Asynchronous copies from host memory.
#pragma once
#include <array>

#include "chainer/backend/cuda/driver.h"

namespace chainer::cuda {

/// A ring of pinned memory through which data is copied to the device, so that the caller's memory can be reused at
/// once. A part of the ring is reused when the copies from it have run.
class Staging {
 public:
  static constexpr std::size_t kPart = std::size_t(4) << 20;
  static constexpr std::size_t kParts = 4;

  Staging(Driver& driver, int device) : driver_(driver), device_(device) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();
  void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes);

 private:
  struct Part {
    char* memory = nullptr;
    Event event = nullptr;
    bool recorded = false;
  };
  Part& part_for(std::size_t bytes, Stream stream);

  Driver& driver_;
  int device_;
  std::array<Part, kParts> parts_;
  std::size_t current_ = 0, used_ = 0;
};

}  // namespace chainer::cuda
