// SPDX-License-Identifier: MIT
// Access to an array's elements by index, for any layout and dtype.
#pragma once
#include <type_traits>

#include "chainer/array/array.h"
#include "chainer/array/operations/ops.h"
#include "chainer/backend/reference/memory.h"

namespace chainer::reference {

/// The elements of an array in C order, converted to and from the compute type: float, double, int64_t or bool.
class Elements {
 public:
  /// For reading. raw() evaluates a pending array.
  explicit Elements(const Array& a) : Elements(a, a.raw()) {}
  /// For writing, or both. mutable_raw() first runs pending computations that read the old elements.
  explicit Elements(Array& a) : Elements(a, a.mutable_raw()) {}

  int64_t size() const { return size_; }
  template <class T>
  T get(int64_t i) const {
    return visit(dtype_, "get", [&]<class S>() {
      if constexpr (std::is_same_v<S, bool>)
        return static_cast<T>(*reinterpret_cast<const uint8_t*>(at(i)) != 0);  // any nonzero byte is true
      else
        return static_cast<T>(*reinterpret_cast<const S*>(at(i)));
    });
  }
  template <class T>
  void set(int64_t i, T value) const {
    visit(dtype_, "set", [&]<class S>() {
      if constexpr (std::is_same_v<S, Float16> || std::is_same_v<S, BFloat16>)
        *reinterpret_cast<S*>(at(i)) = S(static_cast<float>(value));
      else if constexpr (std::is_same_v<S, bool>)
        *reinterpret_cast<uint8_t*>(at(i)) = value != T(0);
      else
        *reinterpret_cast<S*>(at(i)) = static_cast<S>(value);
    });
  }

 private:
  Elements(const Array& a, const void* address)
      : first_(static_cast<char*>(opened(address))),
        dtype_(a.dtype()),
        size_(a.size()),
        shape_(a.shape()),
        strides_(a.strides()) {}
  char* at(int64_t i) const {
    int64_t offset = 0;
    for (int d = shape_.ndim() - 1; d >= 0; --d) {
      offset += i % shape_[d] * strides_[d];
      i /= shape_[d];
    }
    return first_ + offset * item_size(dtype_);
  }

  char* first_;
  Dtype dtype_;
  int64_t size_;
  Dims shape_, strides_;
};

/// Calls f.template operator()<T>() with the compute type of a dtype.
template <class F>
void in_work_type(Dtype dtype, F&& f) {
  const Dtype work = compute_dtype(dtype);
  if (work == Dtype::float32)
    f.template operator()<float>();
  else if (work == Dtype::float64)
    f.template operator()<double>();
  else
    f.template operator()<int64_t>();
}

}  // namespace chainer::reference
