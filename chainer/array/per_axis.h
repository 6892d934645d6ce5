// SPDX-License-Identifier: MIT
// Parameters along the spatial axes of images.
#pragma once
#include <concepts>
#include <string_view>

#include "chainer/array/shape.h"

namespace chainer {

/// One number for all spatial axes, or one for each: filter sizes, strides, paddings. Default-constructed: not given.
///   PerAxis(2).on(3, "pad")       // Dims{2, 2, 2}
///   PerAxis({2, 1}).on(2, "pad")  // Dims{2, 1}
class PerAxis {
 public:
  PerAxis() = default;
  template <std::integral T>
  PerAxis(T all) : given_(true), single_(true), values_{static_cast<int64_t>(all)} {}
  PerAxis(std::initializer_list<int64_t> list) : given_(true), values_(list) {}
  PerAxis(const Dims& list) : given_(true), values_(list) {}
  bool given() const { return given_; }
  /// Returns one number for each of `axes` axes. Throws ValueError naming `what` if a list of another length was given.
  Dims on(int axes, std::string_view what) const {
    if (single_) return Dims::filled(axes, values_[0]);
    if (values_.ndim() != axes) throw ValueError(what, ": one number or ", axes, " are needed, not ", values_.ndim());
    return values_;
  }

 private:
  bool given_ = false, single_ = false;
  Dims values_;
};

}  // namespace chainer
