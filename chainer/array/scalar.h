// SPDX-License-Identifier: MIT
// A number of any dtype, so that operations need only one overload for numbers.
#pragma once
#include <type_traits>

#include "chainer/array/dtype.h"

namespace chainer {

/// A bool, an integer or a floating-point number that remembers its kind.
class Scalar {
 public:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) Scalar(T v) {
    if constexpr (std::is_same_v<T, bool>)
      kind_ = 'b', i_ = v, f_ = v;
    else if constexpr (std::is_integral_v<T>)
      kind_ = 'i', i_ = static_cast<int64_t>(v), f_ = static_cast<double>(v);
    else
      kind_ = 'f', f_ = static_cast<double>(v), i_ = 0;
  }
  /// Returns b, i or f.
  char kind() const { return kind_; }
  double to_double() const { return f_; }
  int64_t to_int() const { return kind_ == 'f' ? static_cast<int64_t>(f_) : i_; }
  bool to_bool() const { return kind_ == 'f' ? f_ != 0 : i_ != 0; }
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>)
      return to_bool();
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(to_int());
    else
      return static_cast<T>(f_);
  }
  /// Returns the dtype of an operation between this scalar and an array of dtype d: d, unless the scalar is of a wider
  /// kind, or is an integer that an integer d cannot hold (uint8 with -1 or 300 gives int16).
  Dtype promoted_with(Dtype d) const {
    if (is_floating(d)) return d;
    if (kind_ == 'f') return Dtype::float64;
    if (kind_ == 'b') return d;
    return d == Dtype::bool_ ? Dtype::int64 : promote_with_integer(d, i_);
  }
  friend bool operator==(const Scalar& a, const Scalar& b) { return a.f_ == b.f_ && a.i_ == b.i_; }

 private:
  char kind_;
  int64_t i_;
  double f_;
};
inline std::string to_string(const Scalar& s) {
  return s.kind() == 'f' ? text(s.to_double()) : s.kind() == 'b' ? text(s.to_bool()) : text(s.to_int());
}

}  // namespace chainer
