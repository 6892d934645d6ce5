// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/convolution.h"
#include "chainer/array/multiply_adds.h"
#include "chainer/backend/cpu/products/blas.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/convolution/bfloat_convolution.h"
#include "chainer/backend/cpu/convolution/dilated.h"
#include "chainer/backend/cpu/convolution/few_channels.h"
#include "chainer/backend/cpu/onednn/onednn.h"
#include "chainer/backend/cpu/convolution/winograd.h"

namespace chainer::cpu {
namespace {

// Whether patches and products of matrices are faster than oneDNN's convolutions: where filters of one element have a
// stride, or give their gradient, where lines of results are so short that blocks of pixels are hardly filled, and
// where there are few results. With few images they are slower: the limits are where times met on a Xeon with AVX-512.
bool prefers_im2col(const ConvolutionCall& call) {
  const Convolution op = call.op;
  const ConvolutionPlan& plan = call.plan;
  const Shape &images = call.images().shape(), &filters = call.filters().shape(), &results = call.results().shape();
  if (plan.groups != 1 || filters[0] < 32 || filters[1] < 16 || !onednn_sgemm()) return false;
  const int axes = plan.stride.ndim();
  const int64_t weights = filters[0] * filters[1];
  int64_t taps = 1, stride = 1;
  for (int d = 0; d < axes; ++d) taps *= filters[d + 2], stride *= plan.stride[d];
  if (taps == 1)
    return op == Convolution::backward_weights || (op == Convolution::backward_data && stride > 1 && weights >= 32768);
  const int64_t line = results[axes + 1], count = results[0], rows = results.product() / results[1];
  if (op == Convolution::backward_weights) return line <= 4;
  if (op == Convolution::backward_data)
    return rows <= kFewResults * count && count >= (images.product() == count * images[1] ? 256 : 32);
  return line <= 2 && rows >= 128 && weights >= 65536;
}

// Whether Winograd's algorithm in float32 is faster than products of bfloat16 would be: where there are no tiles for
// them, since AVX512-BF16 at most halves the time of float32's multiplications and the algorithm leaves a quarter.
bool suits_bfloat_winograd(const ConvolutionCall& call) {
  const Array& out = call.out;
  if (call.a.dtype() != bfloat16 || call.b.dtype() != bfloat16 || call.a.ndim() != 4 || call.a.size() == 0 ||
      (out.dtype() != bfloat16 && out.dtype() != float32) || suits_bfloat(call))
    return false;
  return (call.op == Convolution::backward_weights ? out : channels_to_end(out)).is_contiguous() &&
         suits_winograd(call.plan, call.filters().shape(), call.results().shape());
}

// Convolves lines of bfloat16 as images of one row, for which there are products. Returns false if these do not suit.
bool bfloat_lines(const ConvolutionCall& call) {
  if (call.a.dtype() != bfloat16 || call.a.ndim() != 3) return false;
  ConvolutionPlan plan = call.plan;
  plan.stride = {1, call.plan.stride[0]}, plan.pad = {0, call.plan.pad[0]}, plan.dilate = {1, call.plan.dilate[0]};
  const auto image = [](const Array& line) { return line[{Slice(), Slice(), newaxis}]; };  // a view
  const Array a = image(call.a), b = image(call.b);
  Array out = image(call.out);
  const ConvolutionCall images{call.op, plan, a, b, call.bias, out, call.accumulate};
  if (!suits_bfloat(images)) return false;
  bfloat_convolution(images);
  return true;
}

// Whether `then`, if there is one, ran on all of `out`.
bool convolve_then(const ConvolutionCall& call, const Stretch& then = {}) {
  const Convolution op = call.op;
  Array& out = call.out;
  const int axes = call.a.ndim() - 2;
  if (suits_bfloat_winograd(call)) {
    winograd_convolution(call, then);
    return true;
  }
  if (bfloat_lines(call)) return false;
  if (call.a.dtype() != out.dtype() && !suits_bfloat(call))
    return convolve_then(
        {op, call.plan, call.a.astype(out.dtype()), call.b.astype(out.dtype()), call.bias, out, call.accumulate}, then);
  const bool fits =
      compute_type(out.dtype()) == kF32 && axes >= 1 && axes <= 3 && call.a.size() && call.b.size() && out.size();
  if (!fits) {
    convolve_columns(*kHostBackend, call);
    return false;
  }
  if (suits_bfloat(call)) {
    bfloat_convolution(call);
    return false;
  }
  if (out.dtype() == float32) {
    if (few_channels_convolution(call, then)) return true;
    const bool weights = op == Convolution::backward_weights;
    if ((weights ? out : channels_to_end(out)).is_contiguous() &&
        suits_winograd(call.plan, call.filters().shape(), call.results().shape())) {
      winograd_convolution(call, then);
      return true;
    }
    if (dilated_convolution(call)) return false;
    if (!prefers_im2col(call) && onednn::convolution(call, then)) return true;
    convolve_columns(*kHostBackend, call);
    return false;
  }
  // Other arrays of 16 bits are computed in float32.
  Array wide = op == Convolution::backward_weights ? Array(out.shape(), float32, out.device())
                                                   : channels_last(out.shape(), float32, out.device());
  convolve_then({op, call.plan, call.a.astype(float32), call.b.astype(float32),
                 call.bias ? call.bias.astype(float32) : call.bias, wide});
  if (call.accumulate)
    out += wide.astype(out.dtype());
  else
    copy_elements(wide, out);
  return false;
}

void on_host(const ConvolutionCall& call) { convolve_then(call); }

}  // namespace
}  // namespace chainer::cpu

void chainer::host_kernels::convolve(const ConvolutionCall& call) {
  cpu::host_convolution.store(cpu::on_host, std::memory_order_relaxed);
  count_multiply_adds([&] {
    const Array& w = call.filters();
    return w.size() ? call.results().size() * (w.size() / w.shape()[0]) : 0;
  });
  call.out.device().backend().convolution(call);
}

void chainer::host_kernels::convolution_then(const ConvolutionCall& call, const Program& then) {
  if (!cpu::convolve_then(call, cpu::stretches(then))) kHostBackend->run(then);
}
