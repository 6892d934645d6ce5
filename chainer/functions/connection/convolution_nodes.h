// SPDX-License-Identifier: MIT
// Three functions whose gradients are each other: convolution, its transpose, and the gradient with respect to the
// filters.
#pragma once
#include "chainer/array/host_kernels/convolution.h"
#include "chainer/array/per_axis.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"

namespace chainer::functions {

/// Computes y (N, K, out...) from x (N, C, in...) and W (K, C / groups, k...), with b (K) if there are three inputs. If
/// `out` is empty, the lengths follow from the others.
struct ConvolutionNode : FunctionNode, Described {
  ConvolutionNode(const ConvolutionPlan& p, bool cover, const Dims& o) : plan(p), cover_all(cover), out(o) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::narrow_weight; }
  std::string label() const override { return plan.stride.ndim() == 2 ? "Convolution2DFunction" : "ConvolutionND"; }
  void describe(NodeAttributes& a) const override { a("plan", plan)("cover_all", cover_all); }
  void check_type_forward(const type_check::TypeInfos& in) const override;
  Arrays forward(const Arrays& in) override;
  bool accumulates() const override { return true; }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    return backward_accumulate(wanted, gy, Variables(wanted.size()));
  }
  Variables backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) override;
  ConvolutionPlan plan;
  bool cover_all;
  Dims out;
};

/// Computes the gradient of a convolution with respect to x: (N, C, out...) from x (N, K, in...) and
/// W (K, C / groups, k...), with b (C) if there are three inputs. If `out` is empty, the result has the smallest
/// possible lengths.
struct DeconvolutionNode : FunctionNode, Described {
  DeconvolutionNode(const ConvolutionPlan& p, const Dims& o) : plan(p), out(o) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::narrow_weight; }
  std::string label() const override { return plan.stride.ndim() == 2 ? "Deconvolution2DFunction" : "DeconvolutionND"; }
  void describe(NodeAttributes& a) const override { a("plan", plan)("out", out); }
  void check_type_forward(const type_check::TypeInfos& in) const override;
  Arrays forward(const Arrays& in) override;
  bool accumulates() const override { return true; }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    return backward_accumulate(wanted, gy, Variables(wanted.size()));
  }
  Variables backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) override;
  ConvolutionPlan plan;
  Dims out;
};

/// Computes the gradient of a convolution with respect to the filters, in their shape, from x (N, C, in...) and
/// gy (N, K, out...). The result has the dtype of the filters, which may be float32 for inputs of 16 bits.
struct ConvolutionGradW : FunctionNode {
  ConvolutionGradW(const ConvolutionPlan& p, const Variable& W) : plan(p), filters(W.shape()), dtype(W.dtype()) {}
  std::string label() const override { return "ConvolutionGradW"; }
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;
  ConvolutionPlan plan;
  Shape filters;
  Dtype dtype;
};

/// Returns the options for each of `axes` axes. Throws ValueError unless strides, dilations and groups are positive and
/// paddings are not negative.
ConvolutionPlan make_plan(std::string_view name, int axes, const PerAxis& stride, const PerAxis& pad,
                          const PerAxis& dilate, int64_t groups);
/// The checks of both directions: inputs of one floating dtype (W may be float32 if x has 16 bits), x and W with the
/// plan's number of axes.
void check_images_and_filters(const type_check::TypeInfos& in, const ConvolutionPlan& plan);
/// Return `so_far` (or none) plus a gradient, for both directions: with respect to the filters W, from the images
/// and the gradient of the results of the convolution, and with respect to the bias, from the gradient of the results.
Variable filters_gradient(const ConvolutionPlan& plan, const Variable& W, const Variable& images,
                          const Variable& results, const Variable& so_far);
Variable bias_gradient(const Variable& biased, const Variable& so_far);

struct ConvolutionOptions;
struct DeconvolutionOptions;
/// The public functions, with a fixed number of spatial axes.
Variable convolve(int axes, const Variable& x, const Variable& W, const Variable& b, const ConvolutionOptions& options);
Variable deconvolve(int axes, const Variable& x, const Variable& W, const Variable& b,
                    const DeconvolutionOptions& options);

}  // namespace chainer::functions
