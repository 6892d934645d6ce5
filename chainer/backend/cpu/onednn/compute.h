// SPDX-License-Identifier: MIT
// A convolution by a single oneDNN primitive; pieces.cpp splits larger ones.
#pragma once
#include <cstdint>
#include <memory>

#include "chainer/array/derived.h"
#include "chainer/backend/cpu/onednn/library.h"
#include "chainer/backend/cpu/onednn/onednn.h"

namespace chainer::cpu::onednn {

/// Filters in the layout that a primitive requires, shared by the parts of one convolution.
struct SharedForm {
  std::shared_ptr<const DerivedForm> form;  ///< null if the array's layout is used
  uint64_t kind = 0;
};

struct Route;

/// A convolution by one primitive. The `bias` and `out` of the call must outlive the object.
class Computation {
 public:
  explicit Computation(const ConvolutionCall& call);
  /// Returns true if the library has such a primitive.
  explicit operator bool() const { return route_ != nullptr; }
  /// Returns the filters in the primitive's layout. Not for gradients with respect to filters.
  SharedForm filters() const;
  /// Runs the primitive with as many threads of the library as this thread may use.
  void run(const SharedForm& filters = {}) const;

 private:
  Convolution op_;
  const Array& bias_;
  Array& out_;
  Array first_, second_;
  std::shared_ptr<const Route> route_;
};

/// Returns the array itself if it is in C order or channels-last, else a channels-last copy.
Array in_image_order(const Array& a);

}  // namespace chainer::cpu::onednn
