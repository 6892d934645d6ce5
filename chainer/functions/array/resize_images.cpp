// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/array/resample.h"

namespace chainer::functions {
namespace {

// Linear interpolation from n to `length` elements, the first and the last of which stay in place.
Taps interpolation(int64_t n, int64_t length) {
  Taps taps(n);
  for (int64_t i = 0; i < length; ++i) {
    const double at = length == 1 ? 0 : static_cast<double>(i * (n - 1)) / static_cast<double>(length - 1);
    const int64_t left = std::min(static_cast<int64_t>(at), std::max<int64_t>(n - 2, 0));
    const double right = at - static_cast<double>(left);
    taps.begin();
    taps.add(left, 1 - right);
    if (left + 1 < n && right != 0) taps.add(left + 1, right);
  }
  return taps;
}

}  // namespace

Variable ResizeImages::operator()(const Variable& x, IntPair output_shape) const {
  type_check::check("ResizeImages", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4);
    type_check::expect(in[0].shape(2) > 0, in[0].shape(3) > 0);
  });
  if (output_shape.h < 1 || output_shape.w < 1)
    throw ValueError("resize_images: the output's height and width must be positive, got ", output_shape.h, " and ",
                     output_shape.w);
  const int64_t h = x.shape()[2], w = x.shape()[3];
  if (output_shape.h == h && output_shape.w == w) return x;
  Variable y = x;
  const auto pass = [&](int axis, int64_t from, int64_t to) {
    if (from != to) y = resample(y, axis, interpolation(from, to));
  };
  // The pass over columns is slower, so it runs on whichever array has fewer rows.
  const bool rows_first = output_shape.h < h;
  if (rows_first) pass(2, h, output_shape.h);
  pass(3, w, output_shape.w);
  if (!rows_first) pass(2, h, output_shape.h);
  return composite("ResizeImages", {&x}, y, [&](NodeAttributes& a) {
    a("rows", interpolation(h, output_shape.h).matrix());
    a("columns", interpolation(w, output_shape.w).matrix());
  });
}

}  // namespace chainer::functions
