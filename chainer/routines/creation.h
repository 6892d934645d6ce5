// SPDX-License-Identifier: MIT
// Creation of arrays from shapes, ranges and values.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// Return an array of a shape, with undefined elements, zeros, ones, or a value. Throw as the constructor of Array.
Array empty(const Shape& shape, Dtype dtype = float32, Device device = {});
Array zeros(const Shape& shape, Dtype dtype = float32, Device device = {});
Array ones(const Shape& shape, Dtype dtype = float32, Device device = {});
Array full(const Shape& shape, Scalar value, Dtype dtype = float32, Device device = {});
/// As above, with the shape, dtype, device and memory order of another array.
Array empty_like(const Array& a);
Array zeros_like(const Array& a);
Array ones_like(const Array& a);
Array full_like(const Array& a, Scalar value);
/// Returns start, start + step, ... below stop (above stop for a negative step), in int64, or float64 if an argument is
/// floating, unless `dtype` is given. Throws ValueError if the step is zero or if there are too many elements.
Array arange(Scalar start, Scalar stop, Scalar step = 1, std::optional<Dtype> dtype = {});
Array arange(Scalar stop);
/// Returns `count` evenly spaced numbers from start to stop, both included.
Array linspace(double start, double stop, int64_t count, Dtype dtype = float64);
/// Returns a matrix of n rows and m (by default n) columns, with ones on diagonal k and zeros elsewhere.
Array eye(int64_t n, std::optional<int64_t> m = {}, int64_t k = 0, Dtype dtype = float32);
namespace detail {
/// The type in which an element is stored: int64_t for unsigned integers of several bytes.
template <class T>
using Stored = std::conditional_t<std::is_unsigned_v<T> && (sizeof(T) > 1), int64_t, T>;
}  // namespace detail
/// Returns an array with elements copied from memory in C order.
template <class T>
Array from_data(const T* data, const Shape& shape) {
  Array a(shape, dtype_of<T>());
  if (a.size()) std::copy(data, data + a.size(), static_cast<detail::Stored<T>*>(a.mutable_raw()));
  return a;
}

/// NumPy's array(): from a number, lists of numbers up to three levels deep, or a vector with an optional shape. Throws
/// ValueError if lists of one level differ in length, DimensionError if a vector does not have the size of the shape.
template <class T>
requires std::is_arithmetic_v<T> Array array(T value) {
  Array a(Shape{}, dtype_of<T>());
  *static_cast<detail::Stored<T>*>(a.mutable_raw()) = value;
  return a;
}
template <class T>
Array array(std::initializer_list<T> values) {
  Array a({static_cast<int64_t>(values.size())}, dtype_of<T>());
  if (values.size()) std::copy(values.begin(), values.end(), static_cast<detail::Stored<T>*>(a.mutable_raw()));
  return a;
}
template <class T>
Array array(const std::vector<T>& values) {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<uint8_t> bytes(values.begin(), values.end());
    return from_data(bytes.data(), {static_cast<int64_t>(bytes.size())}).astype(bool_);
  } else {
    return from_data(values.data(), {static_cast<int64_t>(values.size())});
  }
}
template <class T>
Array array(const std::vector<T>& values, const Shape& shape) {
  return array(values).reshape(shape);
}
template <class T>
Array array(std::initializer_list<std::initializer_list<T>> rows) {
  const std::size_t width = rows.size() ? rows.begin()->size() : 0;
  std::vector<T> flat;
  for (const auto& r : rows) {
    if (r.size() != width) throw ValueError("array: rows of unequal length, ", width, " and ", r.size());
    flat.insert(flat.end(), r.begin(), r.end());
  }
  return array(flat).reshape({static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)});
}
template <class T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> blocks) {
  std::vector<T> flat;
  std::size_t rows = blocks.size() ? blocks.begin()->size() : 0, width = rows ? blocks.begin()->begin()->size() : 0;
  for (const auto& b : blocks) {
    if (b.size() != rows) throw ValueError("array: blocks of unequal length, ", rows, " and ", b.size());
    for (const auto& r : b) {
      if (r.size() != width) throw ValueError("array: rows of unequal length, ", width, " and ", r.size());
      flat.insert(flat.end(), r.begin(), r.end());
    }
  }
  return array(flat).reshape(
      {static_cast<int64_t>(blocks.size()), static_cast<int64_t>(rows), static_cast<int64_t>(width)});
}

}  // namespace chainer
