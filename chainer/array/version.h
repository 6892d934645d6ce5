// SPDX-License-Identifier: MIT
// Counts writes to an array's memory, so that a graph can detect changes of retained arrays.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// Returns the number of writes to the memory of `a`, through any array that shares it. before_write() counts; the
/// evaluation of pending computations does not, because it does not change values. Writes through a pointer kept from
/// mutable_raw() are not counted.
inline uint32_t memory_version(const Array& a) { return a.body().owner().version.load(std::memory_order_relaxed); }

/// An update by an optimizer adds this, instead of its number of writes.
inline constexpr uint32_t kUpdateStep = 1u << 24;
/// Returns true if there were writes other than by optimizers between these two versions.
inline bool was_written(uint32_t before, uint32_t now) { return (now - before) % kUpdateStep != 0; }

/// Returns a number that differs after each write and each update; unlike memory_version(), it does not repeat after
/// hundreds of updates. For values derived from `a` that are cached for long.
inline uint64_t memory_state(const Array& a) {
  const ArrayBody& owner = a.body().owner();
  return uint64_t(owner.updates.load(std::memory_order_relaxed)) << 32 | memory_version(a);
}

/// During its lifetime, writes to `a` count as one update by an optimizer.
class UpdateOf {
 public:
  [[nodiscard]] explicit UpdateOf(const Array& a) : array_(a), before_(memory_version(a)) {}
  UpdateOf(const UpdateOf&) = delete;
  UpdateOf& operator=(const UpdateOf&) = delete;
  ~UpdateOf() {
    if (memory_version(array_) == before_) return;
    ArrayBody& owner = array_.body().owner();
    owner.version.store(before_ + kUpdateStep, std::memory_order_relaxed);
    owner.updates.store(owner.updates.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  Array array_;
  uint32_t before_;
};

}  // namespace chainer
