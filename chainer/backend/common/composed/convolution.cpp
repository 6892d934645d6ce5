// SPDX-License-Identifier: MIT
// The composed form of convolutions: one matrix product per element of the filter and group of channels.
#include "chainer/array/operations/convolution.h"

#include "chainer/array/operations/ops.h"
#include "chainer/backend/common/composed/windows.h"

namespace chainer {

using namespace composed;

namespace {

// Returns columns [begin, begin + count) of a contiguous matrix.
Array columns(const Array& matrix, int64_t begin, int64_t count) {
  return window(matrix, {matrix.shape()[0], count}, {matrix.shape()[1], 1}, begin);
}
Dims spatial(const Array& a) { return Dims(a.shape().begin() + 2, a.shape().end()); }

}  // namespace

void Backend::convolution(const ConvolutionCall& call) {
  const Convolution op = call.op;
  const ConvolutionPlan& plan = call.plan;
  const Array &x = call.images(), &W = call.filters(), &y = call.results();
  Array& out = call.out;
  const Dtype dtype = compute_dtype(out.dtype());
  const int64_t n = x.shape()[0], channels = x.shape()[1], filters = y.shape()[1];
  const int64_t in = channels / plan.groups, made = filters / plan.groups;
  const PaddedImages padding(spatial(x), spatial(y), spatial(W), plan.stride, plan.pad, plan.dilate);
  const int64_t rows = n * spatial(y).product(), taps = padding.count();

  // Images (N, in..., C), results as rows (N out..., K), filters by their elements: (taps, K, C / groups).
  const auto zeros = [&](const Dims& shape) { return filled(shape, dtype, 0, call.a); };
  Array padded = padding.blank(n, channels, dtype, 0, call.a);
  if (op != Convolution::backward_data) store(channels_to_end(x), padding.images(padded));
  Array results =
      op == Convolution::forward ? zeros({rows, filters}) : dense(channels_to_end(y), dtype).reshape({rows, filters});
  Array by_tap = op == Convolution::backward_weights
                     ? zeros({taps, filters, in})
                     : dense(W.reshape({filters, in, taps}).transpose({2, 0, 1}), dtype);
  for (int64_t k = 0; rows > 0 && in > 0 && k < taps; ++k) {
    Array under = padding.element(padded, k);
    Array patches = op == Convolution::backward_data ? zeros({rows, channels})
                                                     : under.copy().contiguous().reshape({rows, channels});
    for (int64_t g = 0; g < plan.groups; ++g) {
      Array image_part = columns(patches, g * in, in), result_part = columns(results, g * made, made);
      Array weights = window(by_tap, {made, in}, {in, 1}, (k * filters + g * made) * in);
      if (op == Convolution::forward)
        gemm(image_part, weights.T(), result_part, 1, 1);
      else if (op == Convolution::backward_data)
        gemm(result_part, weights, image_part, 1, 0);
      else
        gemm(result_part.T(), image_part, weights, 1, 0);
    }
    if (op == Convolution::backward_data)
      compute_into(Elementwise::add, {under, patches.reshape(under.shape())}, under, dtype);
  }

  Array computed;
  if (op == Convolution::forward) {
    Shape shape{n};
    for (int64_t d : spatial(y)) shape.push_back(d);
    shape.push_back(filters);
    computed = channels_to_front(results.reshape(shape));
  } else if (op == Convolution::backward_data) {
    computed = channels_to_front(padding.images(padded));
  } else {
    computed = by_tap.transpose({1, 2, 0}).reshape(out.shape());
  }
  if (call.bias) {
    Shape shape = Dims::filled(computed.ndim(), 1);
    shape[1] = call.bias.size();
    computed = add(computed, call.bias.reshape(shape).astype(dtype, false));
  }
  if (call.accumulate) computed = add(computed, out.astype(dtype, false));
  copy_elements(computed, out);
}

}  // namespace chainer
