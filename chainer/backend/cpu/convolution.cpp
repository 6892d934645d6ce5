#include "chainer/array/recording/convolution_then.h"
#include "chainer/backend/cpu/blas.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/few_channels.h"
#include "chainer/backend/cpu/onednn/onednn.h"
#include "chainer/backend/cpu/winograd.h"

namespace chainer::cpu {
namespace {

// Whether patches and products of matrices are faster than oneDNN's convolutions: where filters of one element have a
// stride, or give their gradient, where lines of results are so short that blocks of pixels are hardly filled, and
// where there are few results. With few images they are slower: the limits are where times met on a Xeon with AVX-512.
bool by_products(Convolution op, const ConvolutionPlan& plan, const Shape& images, const Shape& filters,
                 const Shape& results) {
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

// Whether `then`, if there is one, ran on all of `out`.
bool convolve_then(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b, const Array& bias,
                   Array& out, bool accumulate, const Stretch& then = {}) {
  const int axes = a.ndim() - 2;
  const bool fits = compute_type(out.dtype()) == kF32 && axes >= 1 && axes <= 3 && a.size() && b.size() && out.size();
  if (!fits) {
    convolve_columns(*kHostBackend, op, plan, a, b, bias, out, accumulate);
    return false;
  }
  if (out.dtype() == float32) {
    const Shape &images = (op == Convolution::backward_data ? out : a).shape(),
                &filters = (op == Convolution::backward_weights ? out : b).shape(),
                &results = (op == Convolution::forward         ? out
                            : op == Convolution::backward_data ? a
                                                               : b)
                               .shape();
    if (few_channels_convolution(op, plan, a, b, bias, out, accumulate, then)) return true;
    const bool weights = op == Convolution::backward_weights;
    if ((weights ? out : channels_to_end(out)).is_contiguous() && suits_winograd(plan, filters, results)) {
      winograd_convolution(op, plan, a, b, bias, out, accumulate, then);
      return true;
    }
    if (!by_products(op, plan, images, filters, results) &&
        onednn::convolution(op, plan, a, b, bias, out, accumulate, then))
      return true;
    convolve_columns(*kHostBackend, op, plan, a, b, bias, out, accumulate);
    return false;
  }
  // float16 is computed in float32.
  Array wide = op == Convolution::backward_weights ? Array(out.shape(), float32, out.device())
                                                   : channels_last(out.shape(), float32, out.device());
  convolve_then(op, plan, a.astype(float32), b.astype(float32), bias ? bias.astype(float32) : bias, wide, false);
  if (accumulate)
    out += wide.astype(out.dtype());
  else
    copy_elements(wide, out);
  return false;
}

void on_host(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b, const Array& bias, Array& out,
             bool accumulate) {
  convolve_then(op, plan, a, b, bias, out, accumulate);
}

}  // namespace
}  // namespace chainer::cpu

void chainer::convolve(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b, const Array& bias,
                       Array& out, bool accumulate) {
  cpu::host_convolution.store(cpu::on_host, std::memory_order_relaxed);
  out.device().backend().convolution(op, plan, a, b, bias, out, accumulate);
}

void chainer::recording::convolution_then(const ConvolutionPlan& plan, const Array& x, const Array& W,
                                          const Array& bias, Array& out, const Program& then) {
  if (!cpu::convolve_then(Convolution::forward, plan, x, W, bias, out, false, cpu::stretches(then)))
    kHostBackend->run(then);
}
