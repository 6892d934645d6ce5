// SPDX-License-Identifier: MIT
// Shapes, strides and axes: short lists of integers stored inline.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "chainer/core/error.h"

namespace chainer {

/// The maximum number of dimensions of an array.
inline constexpr int kMaxNdim = 10;

/// A list of at most kMaxNdim integers, without heap memory. Adding more throws DimensionError.
class Dims {
 public:
  Dims() noexcept {}
  Dims(std::initializer_list<int64_t> list) : Dims(list.begin(), list.end()) {}
  Dims(const std::vector<int64_t>& v) : Dims(v.begin(), v.end()) {}
  template <class It>
  Dims(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }
  // Copies the whole block: its fixed size makes this cheaper than copying the used part. noexcept, so that a growing
  // std::vector moves objects with Dims members.
  Dims(const Dims& o) noexcept { std::memcpy(static_cast<void*>(this), &o, sizeof(Dims)); }
  Dims& operator=(const Dims& o) noexcept {
    std::memcpy(static_cast<void*>(this), &o, sizeof(Dims));
    return *this;
  }
  static Dims filled(int n, int64_t value) {
    Dims d;
    for (int i = 0; i < n; ++i) d.push_back(value);
    return d;
  }
  int ndim() const { return n_; }
  std::size_t size() const { return static_cast<std::size_t>(n_); }
  bool empty() const { return n_ == 0; }
  /// Unchecked in release builds. Without NDEBUG (Debug, sanitizers), a wrong position throws IndexError.
  int64_t operator[](int64_t i) const {
    check(i);
    return d_[i];
  }
  int64_t& operator[](int64_t i) {
    check(i);
    return d_[i];
  }
  int64_t back() const { return d_[n_ - 1]; }
  const int64_t* begin() const { return d_; }
  const int64_t* end() const { return d_ + n_; }
  int64_t* begin() { return d_; }
  int64_t* end() { return d_ + n_; }
  void push_back(int64_t v) {
    if (n_ == kMaxNdim) throw DimensionError("an array may have at most ", kMaxNdim, " dimensions");
    d_[n_++] = v;
  }
  void insert(int at, int64_t v);
  void erase(int at);
  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.n_ != b.n_) return false;
    for (int i = 0; i < a.n_; ++i)
      if (a.d_[i] != b.d_[i]) return false;
    return true;
  }
  /// Returns the product of all entries; 1 for an empty list. Throws ValueError if it needs more than 63 bits.
  int64_t product() const {
    int64_t p = 1;
    for (int64_t v : *this)
      if (__builtin_mul_overflow(p, v, &p)) [[unlikely]]
        return product_with_care();
    return p;
  }

 private:
  void check([[maybe_unused]] int64_t i) const {
#ifndef NDEBUG
    if (i < 0 || i >= n_) wrong_position(i);
#endif
  }
  [[noreturn]] void wrong_position(int64_t i) const;
  int64_t product_with_care() const;
  int n_ = 0;
  int64_t d_[kMaxNdim];
};

/// The lengths of an array's axes. Printed like NumPy's tuples: (2, 3), (2,), ().
class Shape : public Dims {
 public:
  using Dims::Dims;
  Shape() = default;
  Shape(const Dims& d) noexcept : Dims(d) {}
};
std::string to_string(const Dims& d);

/// Distances between neighbours along each axis, in elements.
using Strides = Dims;
/// Returns the C-order strides of a shape.
Strides contiguous_strides(const Dims& shape);

/// The axes of a reduction or a permutation: not given (all axes), one, or several.
class Axes {
 public:
  Axes() = default;
  Axes(std::nullopt_t) {}
  Axes(int axis) : given_(true) { axes_.push_back(axis); }
  Axes(bool) = delete;  // sum(x, true) would mean axis 1: keepdims is another argument
  Axes(int64_t axis) : given_(true) { axes_.push_back(axis); }
  Axes(std::initializer_list<int64_t> list) : given_(true), axes_(list) {}
  Axes(const Dims& list) : given_(true), axes_(list) {}
  bool given() const { return given_; }
  const Dims& list() const { return axes_; }
  /// Returns non-negative sorted axes of an array of rank ndim; all axes if none were given. Throws IndexError for an
  /// axis out of range, ValueError for one given twice.
  Dims normalized(int ndim, std::string_view operation) const;

 private:
  bool given_ = false;
  Dims axes_;
};

/// Returns the number of elements of a new array. Throws DimensionError for a negative length, and ValueError if the
/// size in bytes needs more than 63 bits; messages have the operation, the shape and the bytes.
int64_t checked_size_with_care(const Dims& shape, int64_t item_size, std::string_view operation);
/// As checked_size_with_care(), but inline in the valid case, without using the operation's name.
template <class Name>
int64_t checked_size(const Dims& shape, int64_t item_size, const Name& operation) {
  int64_t elements = 1, bytes = 0;
  bool plain = true;
  for (int64_t n : shape) plain = plain && n > 0 && !__builtin_mul_overflow(elements, n, &elements);
  if (plain && !__builtin_mul_overflow(elements, item_size, &bytes)) [[likely]]
    return elements;
  return checked_size_with_care(shape, item_size, operation);
}

/// Returns axis in [-ndim, ndim) as a non-negative number. Throws IndexError naming `operation` otherwise.
int normalize_axis(int64_t axis, int ndim, std::string_view operation);
/// Returns NumPy's broadcast of two shapes. Throws DimensionError naming `operation` and both shapes.
Shape broadcast_shapes(const Dims& a, const Dims& b, std::string_view operation = "broadcast");

}  // namespace chainer
