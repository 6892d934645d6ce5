// Arrays in memory that somebody else allocated.
#pragma once
#include <functional>

#include "chainer/array/array.h"

namespace chainer {

/// Options of external_array().
struct ExternalOptions {
  std::optional<Strides> strides = {};  ///< in elements; C order without gaps by default
  bool writable = true;                 ///< else a write to the array is a ValueError
  /// Others may write to the memory, through another array on it, too: no computation on it is put off, and no other
  /// form of its elements (of filters, for instance) is kept.
  bool shared = false;
};
/// An array whose elements lie at `data`, which must be aligned to the size of an element and stay where it is until
/// `release` is called: when the last array on this memory is gone, on the thread that lets go of it. `release` must
/// not throw; an empty one stands for memory that outlives all arrays.
Array external_array(void* data, const Shape& shape, Dtype dtype, std::function<void()> release,
                     const ExternalOptions& options = {});
/// Whether writing to the array is allowed: false on external memory that is not writable, and for what broadcast_to()
/// gives, whose elements are there once for several places.
inline bool is_writable(const Array& a) { return !a.body().marked(ArrayBody::kReadOnly); }
/// Whether somebody outside of this library may read or write the array's memory.
inline bool has_owner_outside(const Array& a) {
  return a.body().owner().marked(ArrayBody::kShared | ArrayBody::kExternal);
}
/// From here on others may write to the array's memory: no computation on it is put off, those that wait run now, and
/// forms of its elements that were kept go.
void share_memory(const Array& a);

/// The owner of memory that somebody else allocated.
struct ExternalBody : ArrayBody {
  ExternalBody(const Shape& shape, Dtype dtype, int64_t size, std::function<void()> release_)
      : ArrayBody(shape, dtype, Device(), size), release(std::move(release_)) {
    tail = sizeof(ExternalBody) - sizeof(ArrayBody);
    marks.store(kExternal, std::memory_order_relaxed);
  }
  ~ExternalBody() {
    if (release) release();
  }
  std::function<void()> release;
};

}  // namespace chainer
