// SPDX-License-Identifier: MIT
// Included before kernels that users write as text (routines/text_kernels.h): the types of their operands, with the
// names that CuPy's kernels use. Its macros end with this header.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"
#ifdef __CUDACC__
#include <math.h>
/// Makes a kernel known to the emulated device; nothing on other devices.
#define TEXT_KERNEL(NAME)
#else
#include "chainer/backend/cuda/emulation/cuda_cpp.h"
#endif

namespace chainer::cuda::text {

// A number of 16 bits that is computed in float: it converts from every number and to float.
#define NUMBER_OF_16_BITS(NAME, TO_FLOAT, FROM_FLOAT)                         \
  class NAME {                                                                \
   public:                                                                    \
    NAME() = default;                                                         \
    template <class T>                                                        \
    DEVICE NAME(T v) : bits_(FROM_FLOAT(static_cast<float>(v))) {}            \
    DEVICE operator float() const { return TO_FLOAT(bits_); }                 \
    template <class T>                                                        \
    DEVICE NAME& operator+=(T v) {                                            \
      return *this = NAME(static_cast<float>(*this) + static_cast<float>(v)); \
    }                                                                         \
    template <class T>                                                        \
    DEVICE NAME& operator-=(T v) {                                            \
      return *this = NAME(static_cast<float>(*this) - static_cast<float>(v)); \
    }                                                                         \
    template <class T>                                                        \
    DEVICE NAME& operator*=(T v) {                                            \
      return *this = NAME(static_cast<float>(*this) * static_cast<float>(v)); \
    }                                                                         \
    template <class T>                                                        \
    DEVICE NAME& operator/=(T v) {                                            \
      return *this = NAME(static_cast<float>(*this) / static_cast<float>(v)); \
    }                                                                         \
                                                                              \
   private:                                                                   \
    uint16_t bits_;                                                           \
  };
NUMBER_OF_16_BITS(float16, half_to_float, float_to_half)
NUMBER_OF_16_BITS(bfloat16, bfloat_to_float, float_to_bfloat)
#undef NUMBER_OF_16_BITS

/// An array: `data` is its first element, strides are in bytes. An integer is a position in C order; a pointer gives
/// an index for each axis.
template <class T, int ndim, bool contiguous = false>
class CArray {
 public:
  DEVICE int64_t size() const { return size_; }
  DEVICE const int64_t* shape() const { return shape_; }
  DEVICE const int64_t* strides() const { return strides_; }
  template <class I>
  DEVICE T& operator[](const I* index) const {
    char* at = reinterpret_cast<char*>(data_);
    for (int d = 0; d < ndim; ++d) at += strides_[d] * index[d];
    return *reinterpret_cast<T*>(at);
  }
  template <class I>
  DEVICE T& operator[](I* index) const {
    return (*this)[static_cast<const I*>(index)];
  }
  template <class I>
  DEVICE T& operator[](I position) const {
    return at(static_cast<int64_t>(position));
  }

 private:
  DEVICE T& at(int64_t i) const {
    if constexpr (contiguous || ndim == 0) return data_[i];
    if constexpr (ndim == 1) return *reinterpret_cast<T*>(reinterpret_cast<char*>(data_) + strides_[0] * i);
    char* at = reinterpret_cast<char*>(data_);
    for (int d = ndim - 1; d > 0; --d) {
      at += i % shape_[d] * strides_[d];
      i /= shape_[d];
    }
    return *reinterpret_cast<T*>(at + strides_[0] * i);
  }

  T* data_;
  int64_t size_, shape_[ndim ? ndim : 1], strides_[ndim ? ndim : 1];
};

/// The axes of a loop, and the index of the element that it is at.
template <int ndim>
class CIndexer {
 public:
  DEVICE int64_t size() const { return size_; }
  DEVICE const int64_t* shape() const { return shape_; }
  DEVICE void set(int64_t i) {
    if constexpr (ndim > 1) {
      if (size_ <= 0x7fffffff) {
        uint32_t rest = static_cast<uint32_t>(i);
        for (int d = ndim - 1; d > 0; --d) {
          const uint32_t length = static_cast<uint32_t>(shape_[d]);
          index_[d] = rest % length;
          rest /= length;
        }
        index_[0] = rest;
        return;
      }
      for (int d = ndim - 1; d > 0; --d) {
        index_[d] = i % shape_[d];
        i /= shape_[d];
      }
    }
    index_[0] = i;
  }
  DEVICE const int64_t* get() const { return index_; }

 private:
  int64_t size_, shape_[ndim ? ndim : 1], index_[ndim ? ndim : 1];
};

}  // namespace chainer::cuda::text

#undef KERNEL
#undef DEVICE
#undef DEVICE_FUNCTION
#undef UNROLL
#undef SHARED
#undef DYNAMIC_SHARED
