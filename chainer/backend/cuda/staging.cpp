// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace chainer::cuda {

Staging::~Staging() {
  for (const Part& p : parts_) {
    if (p.event) driver_.end_event(p.event);
    if (p.memory) driver_.release_pinned(p.memory, kPart);
  }
}

// Returns the part with enough room: the current one, or the next one after its copies have run.
Staging::Part& Staging::part_for(std::size_t bytes, Stream stream) {
  if (used_ + bytes > kPart) {
    driver_.record(parts_[current_].event, stream);
    parts_[current_].recorded = true;
    current_ = (current_ + 1) % kParts;
    used_ = 0;
  }
  Part& p = parts_[current_];
  if (p.recorded) driver_.synchronize(p.event);
  p.recorded = false;
  if (!p.event) p.event = driver_.make_event(device_);
  if (!p.memory) p.memory = static_cast<char*>(driver_.allocate_pinned(device_, kPart));
  if (!p.memory) throw DeviceError("copy to device ", device_, ": cannot allocate ", kPart, " bytes of pinned memory");
  return p;
}

void Staging::copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t n = std::min(bytes, kPart);
    Part& p = part_for(n, stream);
    std::memcpy(p.memory + used_, from, n);
    driver_.copy_to_device(stream, to, p.memory + used_, n);
    used_ += (n + 63) / 64 * 64;
    to = static_cast<char*>(to) + n;
    from = static_cast<const char*>(from) + n;
    bytes -= n;
  }
}

}  // namespace chainer::cuda
