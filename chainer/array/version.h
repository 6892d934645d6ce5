// How often an array's memory was written to, so that a graph knows whether what it kept is still what it saw.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// The count of writes to the memory behind `a`, through any array that shares it. before_write() counts; what waits to
/// be computed and is computed later counts nothing, for its values do not change. A pointer that somebody kept from
/// mutable_raw() writes uncounted.
inline uint32_t memory_version(const Array& a) { return a.body().owner().version.load(std::memory_order_relaxed); }

/// What an update by an optimizer adds, instead of the writes it consists of.
inline constexpr uint32_t kUpdateStep = 1u << 24;
/// Whether between these two versions there were writes of others than optimizers.
inline bool was_written(uint32_t before, uint32_t now) { return (now - before) % kUpdateStep != 0; }

/// While it lives, writes to `a` are those of one update by an optimizer.
class UpdateOf {
 public:
  explicit UpdateOf(const Array& a) : array_(a), before_(memory_version(a)) {}
  UpdateOf(const UpdateOf&) = delete;
  UpdateOf& operator=(const UpdateOf&) = delete;
  ~UpdateOf() {
    if (memory_version(array_) != before_)
      array_.body().owner().version.store(before_ + kUpdateStep, std::memory_order_relaxed);
  }

 private:
  Array array_;
  uint32_t before_;
};

}  // namespace chainer
