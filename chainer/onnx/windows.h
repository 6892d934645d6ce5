// Sizes of filters and windows as ONNX gives them.
#pragma once
#include "chainer/onnx/call.h"

namespace chainer::onnx {

/// Kernel, stride, dilation and padding along each spatial axis, and the lengths of the results.
struct Windows {
  Dims kernel, stride, dilation, before, after, out;
  bool symmetric() const { return before == after; }
  bool dilated() const;
};

/// Reads strides, dilations, pads, auto_pad (and ceil_mode) for images of this shape (N, C, spatial...); an Error names
/// the node where they do not fit.
Windows windows_of(const Call& call, const Shape& x, const Dims& kernel);
/// The list of an attribute for each of `axes` axes; `otherwise` where it is absent.
Dims per_axis(const Call& call, std::string_view name, int axes, int64_t otherwise);
/// x with its spatial axes padded with a value so that windows need no padding. Negative widths cut.
Variable padded(const Variable& x, const Windows& w, double value);
/// The elements under each window: (N, C, out..., kernel...), of images that are padded already.
Variable under_windows(const Variable& x, const Windows& w);

}  // namespace chainer::onnx
