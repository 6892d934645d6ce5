// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/functions/connection/convolution_nodes.h"
#include "chainer/functions/convolution.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/im2col.h"

namespace chainer::functions {

ConvolutionPlan make_plan(std::string_view name, int axes, const PerAxis& stride, const PerAxis& pad,
                          const PerAxis& dilate, int64_t groups) {
  const ConvolutionPlan p{stride.on(axes, text(name, ": stride")),
                          pad.on(axes, text(name, ": pad")),
                          dilate.on(axes, text(name, ": dilate")),
                          groups,
                          config().use_cudnn_tensor_core.get() != "never",
                          config().use_cudnn.get() != "never",
                          config().winograd,
                          config().autotune};
  for (int d = 0; d < axes; ++d)
    if (p.stride[d] < 1 || p.pad[d] < 0 || p.dilate[d] < 1)
      throw ValueError(name, ": stride ", p.stride, " and dilate ", p.dilate, " must be positive, pad ", p.pad,
                       " not negative");
  if (groups < 1) throw ValueError(name, ": groups must be positive, not ", groups);
  return p;
}

void check_images_and_filters(const type_check::TypeInfos& in, const ConvolutionPlan& plan) {
  using type_check::expect;
  in.names({"x", "W", "b"});
  expect(in[0].dtype().kind() == 'f');
  expect_weight_of(in);
  expect(in[0].ndim() == plan.stride.ndim() + 2, in[1].ndim() == plan.stride.ndim() + 2);
  if (in.count() == 3) expect(in[2].dtype() == in[0].dtype(), in[2].ndim() == 1);
}

void ConvolutionNode::check_type_forward(const type_check::TypeInfos& in) const {
  using type_check::expect;
  check_images_and_filters(in, plan);
  const auto groups = type_check::make_variable(plan.groups, "groups");
  expect(in[0].shape(1) == in[1].shape(1) * groups, in[1].shape(0) % groups == 0);
  if (in.count() == 3) expect(in[2].shape(0) == in[1].shape(0));
}

Arrays ConvolutionNode::forward(const Arrays& in) {
  retain_inputs({0, 1});
  const Shape &x = in[0].shape(), &W = in[1].shape();
  Shape y{x[0], W[0]};
  for (int d = 0; d < plan.stride.ndim(); ++d) {
    const int64_t n = out.empty() ? utils::get_conv_outsize(x[d + 2], W[d + 2], plan.stride[d], plan.pad[d], cover_all,
                                                            plan.dilate[d])
                                  : out[d];
    if (n < 1 || W[d + 2] < 1)
      throw DimensionError("convolution_", plan.stride.ndim(), "d: a filter of ", W[d + 2], " (stride ", plan.stride[d],
                           ", pad ", plan.pad[d], ", dilate ", plan.dilate[d], ") has no position on an input of ",
                           x[d + 2], " along axis ", d + 2, " of shape ", x);
    y.push_back(n);
  }
  Array result = channels_last(y, in[0].dtype(), in[0].device());
  if (result.size())
    host_kernels::convolve(
        {Convolution::forward, plan, in[0], weight_for(in[0], in[1]), in.size() == 3 ? in[2] : Array(), result});
  return {result};
}

Variables ConvolutionNode::backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) {
  const Variable x = retained_input(0), W = retained_input(1);
  const Dims in(x.shape().begin() + 2, x.shape().end());
  Variables result;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (wanted[k] == 0) {
      const Variable g = apply_single(DeconvolutionNode(plan, in), gy[0], W);
      result.push_back(gx[k] ? gx[k] + g : g);
    } else if (wanted[k] == 1) {
      result.push_back(filters_gradient(plan, W, x, gy[0], gx[k]));
    } else {
      result.push_back(bias_gradient(gy[0], gx[k]));
    }
  }
  return result;
}

Variable convolve(int axes, const Variable& x, const Variable& W, const Variable& b, const ConvolutionOptions& o) {
  if (mixed(x, W, b))
    return in_dtype_of_x("convolution", x, W, b, [&](auto&&... in) { return convolve(axes, in..., o); });
  const ConvolutionPlan plan = make_plan(text("convolution_", axes, "d"), axes, o.stride, o.pad, o.dilate, o.groups);
  ConvolutionNode node(plan, o.cover_all, {});
  return b ? apply_single(std::move(node), x, W, b) : apply_single(std::move(node), x, W);
}
Variable ConvolutionND::operator()(const Variable& x, const Variable& W, const Variable& b,
                                   const ConvolutionOptions& o) const {
  if (x.ndim() < 3) throw DimensionError("convolution_nd: x must have a spatial axis, not shape ", x.shape());
  // (Before the options, whose lengths follow from the number of axes.)
  type_check::check("ConvolutionND", {x.array(), W.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "W"});
    type_check::expect(in[0].ndim() == in[1].ndim());
  });
  return convolve(x.ndim() - 2, x, W, b, o);
}

}  // namespace chainer::functions
