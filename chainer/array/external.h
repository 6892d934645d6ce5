// SPDX-License-Identifier: MIT
// Arrays in memory that was allocated outside of this library.
#pragma once
#include <functional>

#include "chainer/array/array.h"

namespace chainer {

/// Options of external_array().
struct ExternalOptions {
  std::optional<Strides> strides = {};  ///< in elements; C order without gaps by default
  bool writable = true;                 ///< if false, a write to the array is a ValueError
  /// True if other code may write to the memory, also through another array: then no computation on the array is
  /// deferred, and no derived form of its elements is cached.
  bool shared = false;
};
/// Returns an array whose elements are at `data`, which must be aligned to the size of an element and remain valid
/// until `release` is called. `release` is called when the last array on this memory is destroyed, on the thread that
/// drops it, after the work that the memory's device has to do; also if this function throws. It must not throw. It may
/// be empty if the memory outlives all arrays. Throws ValueError for an unaligned or null address, DimensionError if
/// the number of strides differs from the rank.
Array external_array(void* data, const Shape& shape, Dtype dtype, std::function<void()> release,
                     const ExternalOptions& options = {});
/// Returns false for an array on read-only external memory, and for results of broadcast_to(), whose elements are
/// shared by several positions.
inline bool is_writable(const Array& a) { return !a.body().marked(ArrayBody::kReadOnly); }
/// Returns true if code outside of this library may access the array's memory.
inline bool has_owner_outside(const Array& a) {
  return a.body().owner().marked(ArrayBody::kShared | ArrayBody::kExternal);
}
/// Marks the array's memory as shared with other code: later computations on it are not deferred, pending ones run, and
/// derived forms are dropped.
void share_memory(const Array& a);

/// The owner of external memory.
struct ExternalBody : ArrayBody {
  ExternalBody(const Shape& shape, Dtype dtype, int64_t size, std::function<void()> release_)
      : ArrayBody(shape, dtype, Device(), size), release(std::move(release_)) {
    tail = sizeof(ExternalBody) - sizeof(ArrayBody);
    marks.store(kExternal, std::memory_order_relaxed);
  }
  ~ExternalBody();
  std::function<void()> release;
};

}  // namespace chainer
