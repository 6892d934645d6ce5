// Arrays in memory that somebody else allocated.
#pragma once
#include <functional>

#include "chainer/array/array.h"

namespace chainer {

/// Options of external_array().
struct ExternalOptions {
  std::optional<Strides> strides = {};  ///< in elements; C order without gaps by default
  bool writable = true;                 ///< else a write to the array is a ValueError
  bool shared = false;                  ///< others may write to the memory: no computation on it is put off
};
/// An array whose elements lie at `data`, which must be aligned to the size of an element and stay where it is until
/// `release` is called: when the last array on this memory is gone, on the thread that lets go of it. `release` must
/// not throw.
Array external_array(void* data, const Shape& shape, Dtype dtype, std::function<void()> release,
                     const ExternalOptions& options = {});
/// Whether writing to the array is allowed: false on external memory that is not writable.
bool is_writable(const Array& a);
/// From here on others may write to the array's memory: no computation on it is put off, and those that wait run now.
void share_memory(const Array& a);

namespace memory {
/// Marks of Block::size_class, above the classes.
inline constexpr int kExternal = 1 << 16;  ///< the block is the function that gives the memory back
inline constexpr int kReadOnly = 1 << 17;
inline constexpr int kShared = 1 << 18;
inline constexpr int kClassBits = kExternal - 1;
}  // namespace memory

}  // namespace chainer
