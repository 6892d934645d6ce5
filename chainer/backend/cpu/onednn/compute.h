// One convolution by one primitive; pieces.cpp cuts larger ones into several.
#pragma once
#include <cstdint>
#include <memory>

#include "chainer/array/derived.h"
#include "chainer/backend/cpu/onednn/library.h"
#include "chainer/backend/cpu/onednn/onednn.h"

namespace chainer::cpu::onednn {

/// Filters in the order that a primitive wants them in, for the pieces of one convolution.
struct SharedForm {
  std::shared_ptr<const DerivedForm> form;  ///< none where the order is the array's
  uint64_t kind = 0;
};

struct Route;

/// One convolution by one primitive. Its arguments are those of convolution(); `bias` and `out` have to live as long.
class Computation {
 public:
  Computation(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b, const Array& bias,
              Array& out, bool accumulate);
  /// Whether the library has such a primitive.
  explicit operator bool() const { return route_ != nullptr; }
  /// Not of a gradient by filters.
  SharedForm filters() const;
  /// Computes with as many of the library's threads as this thread may use.
  void run(const SharedForm& filters = {}) const;

 private:
  Convolution op_;
  const Array& bias_;
  Array& out_;
  Array first_, second_;
  std::shared_ptr<const Route> route_;
};

/// The array itself where it lies in C order or with its channels last, else a copy with its channels last.
Array in_image_order(const Array& a);

}  // namespace chainer::cpu::onednn
