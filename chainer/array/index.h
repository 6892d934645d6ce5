// SPDX-License-Identifier: MIT
// The arguments of NumPy's indexing.
#pragma once
#include <concepts>
#include <optional>
#include <variant>

#include "chainer/array/array.h"

namespace chainer {

/// NumPy's start:stop:step. A missing start or stop means the end of the axis.
struct Slice {
  std::optional<int64_t> start, stop;
  int64_t step = 1;
  Slice() = default;
  Slice(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step = 1)
      : start(start), stop(stop), step(step) {}
};
struct NewAxis {};
struct Ellipsis {};
inline constexpr NewAxis newaxis{};
inline constexpr Ellipsis ellipsis{};

/// One entry of an index: an integer, a Slice, newaxis, ellipsis, an integer array, or a boolean mask.
class Index {
 public:
  template <std::integral T>
  requires(!std::is_same_v<T, bool>) Index(T i) : value_(static_cast<int64_t>(i)) {}
  Index(Slice s) : value_(s) {}
  Index(NewAxis n) : value_(n) {}
  Index(Ellipsis e) : value_(e) {}
  Index(Array a) : value_(std::move(a)) {}
  const auto& value() const { return value_; }
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }

 private:
  std::variant<int64_t, Slice, NewAxis, Ellipsis, Array> value_;
};
using Indices = std::vector<Index>;

/// As Array::operator[] and Array::set(), for indices made at run time.
Array get_item(const Array& a, const Indices& indices);
void set_item(Array& a, const Indices& indices, const Array& value);
/// a[indices] += value; an element selected several times receives every addend. Throws as set_item().
void add_at(Array& a, const Indices& indices, const Array& value);

}  // namespace chainer
