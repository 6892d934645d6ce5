// SPDX-License-Identifier: MIT
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/convolution.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/im2col.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

// The position of each element of the filter on the padded image, along one axis: (taps, out_h, out_w).
Array grid(int64_t taps_h, int64_t taps_w, int64_t out_h, int64_t out_w, int64_t stride, bool vertical) {
  const auto line = [](int64_t n, int64_t step) { return arange(n) * step; };
  const Array taps = vertical ? line(taps_h, 1).reshape({taps_h, 1, 1, 1}) : line(taps_w, 1).reshape({1, taps_w, 1, 1});
  const Array positions =
      vertical ? line(out_h, stride).reshape({1, 1, out_h, 1}) : line(out_w, stride).reshape({1, 1, 1, out_w});
  return (zeros({taps_h, taps_w, out_h, out_w}, int64) + taps + positions).reshape({taps_h * taps_w, out_h, out_w});
}

}  // namespace

Variable DeformableConvolution2DSampler::operator()(const Variable& x, const Variable& offset, const Variable& W,
                                                    const Variable& b, const StrideAndPad& o) const {
  const auto again = [&](const auto&... in) { return (*this)(in..., o); };
  if (const auto y = in_mixed_precision(MixedPrecision::widest, again, x, offset, W, b)) return *y;
  const Dims stride = o.stride.on(2, "deformable_convolution_2d_sampler: stride");
  const Dims pad = o.pad.on(2, "deformable_convolution_2d_sampler: pad");
  if (stride[0] < 1 || stride[1] < 1 || pad[0] < 0 || pad[1] < 0)
    throw ValueError("deformable_convolution_2d_sampler: stride ", stride, " must be positive, pad ", pad,
                     " not negative");
  Arrays in{x.array(), offset.array(), W.array()};
  if (b) in.push_back(b.array());
  type_check::check("deformable_convolution_2d_sampler", in, [&](const type_check::TypeInfos& t) {
    using type_check::expect;
    t.names({"x", "offset", "W", "b"});
    expect(t[0].dtype().kind() == 'f', t[1].dtype() == t[0].dtype(), t[2].dtype().kind() == 'f');
    expect(t[0].ndim() == 4, t[1].ndim() == 4, t[2].ndim() == 4, t[2].shape(1) == t[0].shape(1));
    expect(t[1].shape(0) == t[0].shape(0), t[1].shape(1) == 2 * t[2].shape(2) * t[2].shape(3));
    if (t.count() == 4) expect(t[3].dtype() == t[0].dtype(), t[3].ndim() == 1, t[3].shape(0) == t[2].shape(0));
  });
  const Shape &s = x.shape(), &w = W.shape();
  const int64_t n = s[0], taps = w[2] * w[3], out_h = offset.shape()[2], out_w = offset.shape()[3];
  // The sampler takes coordinates from -1 to 1 over the padded image. 16 bits would move the samples of large images by
  // fractions of a pixel.
  const Dtype inner = compute_dtype(x.dtype());
  const Variable wide_offset = cast(offset, inner);
  const auto coordinates = [&](bool vertical) {
    const Variable moved = wide_offset[{Slice(), vertical ? Slice(taps, 2 * taps) : Slice(0, taps)}];
    const Array rest =
        grid(w[2], w[3], out_h, out_w, stride[vertical ? 0 : 1], vertical).astype(inner).to_device(x.device());
    const double length = static_cast<double>(vertical ? s[2] + 2 * pad[0] : s[3] + 2 * pad[1]) - 1;
    const Variable at = moved + broadcast_to(Variable(rest, false), moved.shape());
    return reshape(at * (2 / std::max(length, 1.0)) - 1, {n, 1, taps, out_h * out_w});
  };
  const Variable padded =
      chainer::functions::pad(cast(x, inner), {{0, 0}, {0, 0}, {pad[0], pad[0]}, {pad[1], pad[1]}}, "constant");
  const Variable sampled = spatial_transformer_sampler(padded, concat({coordinates(false), coordinates(true)}, 1));
  const Variable patches = reshape(transpose(sampled, {0, 3, 1, 2}), {n * out_h * out_w, w[1] * taps});
  // The result has the wider dtype of x and W.
  const Dtype dtype = promote(x.dtype(), W.dtype());
  const Variable y = linear(cast(patches, dtype), cast(reshape(W, {w[0], w[1] * taps}), dtype), b ? cast(b, dtype) : b);
  return transpose(reshape(y, {n, out_h, out_w, w[0]}), {0, 3, 1, 2});
}

}  // namespace chainer::functions
