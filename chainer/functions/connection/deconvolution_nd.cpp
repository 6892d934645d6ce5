// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/functions/connection/convolution_nodes.h"
#include "chainer/functions/convolution.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/im2col.h"

namespace chainer::functions {
void DeconvolutionNode::check_type_forward(const type_check::TypeInfos& in) const {
  using type_check::expect;
  check_images_and_filters(in, plan);
  const auto groups = type_check::make_variable(plan.groups, "groups");
  expect(in[0].shape(1) == in[1].shape(0), in[0].shape(1) % groups == 0);
  if (in.count() == 3) expect(in[2].shape(0) == in[1].shape(1) * groups);
  const Shape& W = in[1].array().shape();
  for (int d = 0; d < out.ndim(); ++d) {  // convolving the output must give the shape of the input
    const auto n = [&](bool cover_all) {
      return utils::get_conv_outsize(out[d], W[d + 2], plan.stride[d], plan.pad[d], cover_all, plan.dilate[d]);
    };
    expect(type_check::make_variable(n(false), text("out_size(outsize[", d, "])")) <= in[0].shape(d + 2),
           in[0].shape(d + 2) <= type_check::make_variable(n(true), text("out_size(outsize[", d, "], cover_all)")));
  }
}

Arrays DeconvolutionNode::forward(const Arrays& in) {
  retain_inputs({0, 1});
  const Shape &x = in[0].shape(), &W = in[1].shape();
  Shape y{x[0], W[1] * plan.groups};
  for (int d = 0; d < plan.stride.ndim(); ++d) {
    const int64_t n =
        out.empty() ? utils::get_deconv_outsize(x[d + 2], W[d + 2], plan.stride[d], plan.pad[d], false, plan.dilate[d])
                    : out[d];
    if (n < 1 || x[d + 2] < 1 || W[d + 2] < 1)
      throw DimensionError("deconvolution_", plan.stride.ndim(), "d: an input of ", x[d + 2], " and a filter of ",
                           W[d + 2], " (stride ", plan.stride[d], ", pad ", plan.pad[d], ", dilate ", plan.dilate[d],
                           ") give no output along axis ", d + 2, " of shape ", x);
    y.push_back(n);
  }
  const Dtype dtype = in[0].dtype();
  // With few channels C order is faster (backend/cpu/onednn/convolution.cpp).
  Array result = y[1] <= 3 ? Array(y, dtype, in[0].device()) : channels_last(y, dtype, in[0].device());
  if (result.size())
    host_kernels::convolve(
        {Convolution::backward_data, plan, in[0], weight_for(in[0], in[1]), in.size() == 3 ? in[2] : Array(), result});
  return {result};
}

Variables DeconvolutionNode::backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) {
  const Variable x = retained_input(0), W = retained_input(1);
  const Dims in(x.shape().begin() + 2, x.shape().end());
  Variables result;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (wanted[k] == 0) {
      const Variable g = apply_single(ConvolutionNode(plan, false, in), gy[0], W);
      result.push_back(gx[k] ? gx[k] + g : g);
    } else if (wanted[k] == 1) {
      result.push_back(filters_gradient(plan, W, gy[0], x, gx[k]));
    } else {
      result.push_back(bias_gradient(gy[0], gx[k]));
    }
  }
  return result;
}

Variable deconvolve(int axes, const Variable& x, const Variable& W, const Variable& b, const DeconvolutionOptions& o) {
  if (mixed(x, W, b))
    return in_dtype_of_x("deconvolution", x, W, b, [&](auto&&... in) { return deconvolve(axes, in..., o); });
  const std::string name = text("deconvolution_", axes, "d");
  const ConvolutionPlan plan = make_plan(name, axes, o.stride, o.pad, o.dilate, o.groups);
  DeconvolutionNode node(plan, o.outsize.given() ? o.outsize.on(axes, name + ": outsize") : Dims());
  return b ? apply_single(std::move(node), x, W, b) : apply_single(std::move(node), x, W);
}
Variable DeconvolutionND::operator()(const Variable& x, const Variable& W, const Variable& b,
                                     const DeconvolutionOptions& o) const {
  if (x.ndim() < 3) throw DimensionError("deconvolution_nd: x must have a spatial axis, not shape ", x.shape());
  // (Before the options, whose lengths follow from the number of axes.)
  type_check::check("DeconvolutionND", {x.array(), W.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "W"});
    type_check::expect(in[0].ndim() == in[1].ndim());
  });
  return deconvolve(x.ndim() - 2, x, W, b, o);
}

}  // namespace chainer::functions
