// SPDX-License-Identifier: MIT
// Sizes of filters and windows in ONNX's attributes.
#pragma once
#include "chainer/onnx/call.h"

namespace chainer::onnx {

/// Kernel, stride, dilation and padding along each spatial axis, and the lengths of the result.
struct Windows {
  Dims kernel, stride, dilation, before, after, out;
  bool symmetric() const { return before == after; }
  bool dilated() const;
};

/// Reads strides, dilations, pads, auto_pad (and ceil_mode) for images of shape (N, C, spatial...). Throws ValueError,
/// naming the node, if they do not match.
Windows windows_of(const Call& call, const Shape& x, const Dims& kernel);
/// Returns the list of an attribute for each of `axes` axes; `otherwise` if it is absent.
Dims per_axis(const Call& call, std::string_view name, int axes, int64_t otherwise);
/// Returns x with its spatial axes padded with a value, so that windows need no padding. Negative widths crop.
Variable padded(const Variable& x, const Windows& w, double value);
/// Returns the elements under each window, (N, C, out..., kernel...), of padded images.
Variable under_windows(const Variable& x, const Windows& w);

}  // namespace chainer::onnx
