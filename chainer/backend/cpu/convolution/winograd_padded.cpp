// SPDX-License-Identifier: MIT
// Numbers of channels that do not fill vectors: Winograd's algorithm on copies with more channels, which are zero.
#include "chainer/backend/cpu/convolution/winograd.h"

#include "chainer/array/index.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

int64_t whole_vectors(int64_t channels) { return (channels + kWinogradLanes - 1) / kWinogradLanes * kWinogradLanes; }

// Returns the elements of `a` in the first channels of an array of more channels.
Array first_channels(const Array& wide, const Array& a) {
  return wide[{Slice(0, a.shape()[0]), Slice(0, a.shape()[1])}];
}

// Returns a copy with `channels` channels that are adjacent in memory.
Array padded_images(const Array& a) {
  const int64_t channels = whole_vectors(a.shape()[1]);
  if (channels == a.shape()[1]) return a;
  Shape shape = a.shape();
  shape[1] = channels;
  Array wide = channels_last(shape, a.dtype(), a.device());
  Array part = first_channels(wide, a);
  copy_elements(a, part);
  Array rest = wide[{Slice(), Slice(a.shape()[1], channels)}];
  rest.fill(0);
  return wide;
}
Array padded_filters(const Array& W) {
  Shape shape = W.shape();
  for (int d = 0; d < 2; ++d) shape[d] = whole_vectors(shape[d]);
  if (shape == W.shape()) return W;
  Array wide(shape, W.dtype(), W.device());
  wide.fill(0);
  Array part = first_channels(wide, W);
  copy_elements(W, part);
  return wide;
}

}  // namespace

void winograd_padded(const ConvolutionCall& call, const Stretch& then) {
  const bool weights = call.op == Convolution::backward_weights;
  Shape shape = call.out.shape();
  for (int d = weights ? 0 : 1; d < 2; ++d) shape[d] = whole_vectors(shape[d]);
  const bool direct = shape == call.out.shape();
  Array wide = direct    ? call.out
               : weights ? Array(shape, call.out.dtype(), call.out.device())
                         : channels_last(shape, call.out.dtype(), call.out.device());
  Array bias = call.bias;
  if (bias && bias.shape()[0] != shape[1]) {
    bias = Array(Shape{shape[1]}, bias.dtype(), bias.device());
    bias.fill(0);
    Array part = bias[{Slice(0, call.bias.shape()[0])}];
    copy_elements(call.bias, part);
  }
  winograd_convolution({call.op, call.plan, padded_images(call.a),
                        weights ? padded_images(call.b) : padded_filters(call.b), bias, wide,
                        direct && call.accumulate});
  if (!direct) {
    const Array part = first_channels(wide, call.out);
    if (call.accumulate)
      call.out += part;
    else
      copy_elements(part, call.out);
  }
  if (then) parallel_ranges(call.out.size(), call.out.size(), 1024, then);
}

}  // namespace chainer::cpu
