#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/onednn/onednn.h"

namespace chainer::cpu {

void CpuBackend::convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b,
                             const Array& bias, Array& out, bool accumulate) {
  const int axes = a.ndim() - 2;
  const bool fits = compute_type(out.dtype()) == kF32 && axes >= 1 && axes <= 3 && a.size() && b.size() && out.size();
  if (!fits) return convolve_columns(*this, op, plan, a, b, bias, out, accumulate);
  if (out.dtype() == float32) {
    if (!onednn::convolution(op, plan, a, b, bias, out, accumulate))
      convolve_columns(*this, op, plan, a, b, bias, out, accumulate);
    return;
  }
  // float16 is computed in float32.
  Array wide = op == Convolution::backward_weights ? Array(out.shape(), float32, out.device())
                                                   : channels_last(out.shape(), float32, out.device());
  convolution(op, plan, a.astype(float32), b.astype(float32), bias ? bias.astype(float32) : bias, wide, false);
  if (accumulate)
    out += wide.astype(out.dtype());
  else
    copy_elements(wide, out);
}

}  // namespace chainer::cpu
