// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/exclusive.h"
#include "chainer/functions/connection/convolution_nodes.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

namespace {

void filters_product(const ConvolutionPlan& plan, const Array& images, const Array& results, Array& out, bool add) {
  if (images.dtype() == out.dtype() || out.device().is_host())
    return host_kernels::convolve({Convolution::backward_weights, plan, images, results, Array(), out, add});
  // Devices compute in the dtype of the images.
  Array narrow(out.shape(), images.dtype(), out.device());
  host_kernels::convolve({Convolution::backward_weights, plan, images, results, Array(), narrow});
  if (add)
    out += narrow.astype(out.dtype());
  else
    copy_elements(narrow, out);
}

}  // namespace

Arrays ConvolutionGradW::forward(const Arrays& in) {
  retain_inputs({0, 1});
  Array gW(filters, dtype, in[0].device());
  if (gW.size()) filters_product(plan, in[0], in[1], gW, false);
  return {gW};
}

Variables ConvolutionGradW::backward(const Indexes& wanted, const Variables& ggW) {
  const Variable x = retained_input(0), gy = retained_input(1);
  Variables out;
  for (const int i : wanted) {
    const Shape& s = (i == 0 ? x : gy).shape();
    const Dims lengths(s.begin() + 2, s.end());
    out.push_back(i == 0 ? apply_single(DeconvolutionNode(plan, lengths), gy, ggW[0])
                         : apply_single(ConvolutionNode(plan, false, lengths), x, ggW[0]));
  }
  return out;
}

Variable filters_gradient(const ConvolutionPlan& plan, const Variable& W, const Variable& images,
                          const Variable& results, const Variable& so_far) {
  if (so_far && !config().enable_backprop && so_far.array().is_contiguous() && is_exclusive(so_far.array())) {
    // Filters used several times: the gradient is added up in place, without a temporary, if nothing else refers to it.
    Array sum = so_far.array();
    if (sum.size()) filters_product(plan, images.array(), results.array(), sum, true);
    return so_far;
  }
  const Variable g = apply_single(ConvolutionGradW(plan, W), images, results);
  return so_far ? so_far + g : g;
}

Variable bias_gradient(const Variable& biased, const Variable& so_far) {
  Dims axes{0};
  for (int d = 2; d < biased.ndim(); ++d) axes.push_back(d);
  const Variable g = sum(biased, axes);
  return so_far ? so_far + g : g;
}

}  // namespace chainer::functions
