// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace chainer::cuda {

PinnedRing::~PinnedRing() {
  for (const Part& p : parts_) {
    if (p.event) driver_.end_event(p.event);
    if (p.memory) driver_.release_pinned(p.memory, kPart);
  }
}

// Returns the part with enough room: the current one, or the next one after its copies have run.
PinnedRing::Part& PinnedRing::part_for(std::size_t bytes, Stream stream) {
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

void PinnedRing::copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes) {
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

Staging::~Staging() {
  if (copies_) driver_.end_stream(copies_);
  end_zone();
}
void Staging::end_zone() noexcept {
  for (const Part& p : zone_) {
    driver_.end_event(p.event);
    driver_.release(device_, p.memory, PinnedRing::kPart);
  }
  zone_.clear();
  oldest_ = 0;
}
bool Staging::release_zone(Stream work) {
  if (zone_.empty()) return false;
  driver_.synchronize(copies_);
  driver_.synchronize(work);
  end_zone();
  return true;
}

// Returns the oldest part if its contents were taken, else a new one. Returns null if there is no memory for any.
Staging::Part* Staging::next_part() {
  const bool grows = zone_.size() < most_ && (zone_.empty() || !driver_.reached(zone_[oldest_].event));
  if (void* const memory = grows ? driver_.allocate(device_, PinnedRing::kPart) : nullptr) {
    driver_.begin_block(device_, copies_, memory, PinnedRing::kPart, PinnedRing::kPart);
    zone_.insert(zone_.begin() + static_cast<std::ptrdiff_t>(oldest_), {memory, driver_.make_event(device_)});
  } else if (zone_.empty()) {
    return nullptr;
  } else {
    driver_.synchronize(zone_[oldest_].event);
  }
  Part& part = zone_[oldest_];
  oldest_ = (oldest_ + 1) % zone_.size();
  return &part;
}

void Staging::copy_to_device(Stream work, void* to, const void* from, std::size_t bytes) {
  if (bytes <= kSmall) return small_.copy_to_device(work, to, from, bytes);
  if (!copies_) copies_ = driver_.make_stream(device_);
  for (std::size_t at = 0; at < bytes; at += PinnedRing::kPart) {
    const std::size_t n = std::min(bytes - at, PinnedRing::kPart);
    char* const target = static_cast<char*>(to) + at;
    const char* const source = static_cast<const char*>(from) + at;
    Part* const part = next_part();
    if (!part) {
      small_.copy_to_device(work, target, source, n);
      continue;
    }
    large_.copy_to_device(copies_, part->memory, source, n);
    driver_.record(part->event, copies_);
    driver_.wait(work, part->event);
    driver_.copy_within(work, target, part->memory, n);
    driver_.record(part->event, work);
  }
}

}  // namespace chainer::cuda
