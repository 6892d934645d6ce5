// The three functions that are each other's gradients: convolution, its transpose, and the gradient by the filters.
#pragma once
#include "chainer/array/per_axis.h"
#include "chainer/autograd/function_node.h"
#include "chainer/array/operations/convolution.h"

namespace chainer::functions {

/// y (N, K, out...) of x (N, C, in...) and W (K, C / groups, k...), with b (K) if there are three inputs. Without
/// lengths for y they follow from the others.
struct ConvolutionNode : FunctionNode {
  ConvolutionNode(const ConvolutionPlan& p, bool cover, const Dims& o) : plan(p), cover_all(cover), out(o) {}
  std::string label() const override { return plan.stride.ndim() == 2 ? "Convolution2DFunction" : "ConvolutionND"; }
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

/// The gradient of that by x: (N, C, out...) of x (N, K, in...) and W (K, C / groups, k...), with b (C) if there are
/// three inputs. Without lengths for the result it has the smallest.
struct DeconvolutionNode : FunctionNode {
  DeconvolutionNode(const ConvolutionPlan& p, const Dims& o) : plan(p), out(o) {}
  std::string label() const override { return plan.stride.ndim() == 2 ? "Deconvolution2DFunction" : "DeconvolutionND"; }
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

/// The gradient by the filters, of their shape, from x (N, C, in...) and gy (N, K, out...).
struct ConvolutionGradW : FunctionNode {
  ConvolutionGradW(const ConvolutionPlan& p, const Shape& w) : plan(p), filters(w) {}
  std::string label() const override { return "ConvolutionGradW"; }
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;
  ConvolutionPlan plan;
  Shape filters;
};

/// The options' numbers for each of `axes` axes, checked: positive strides, dilations and groups, no negative padding.
ConvolutionPlan make_plan(std::string_view name, int axes, const PerAxis& stride, const PerAxis& pad,
                          const PerAxis& dilate, int64_t groups);
/// What both directions check: floating inputs of one dtype, x and W of the plan's number of axes.
void check_images_and_filters(const type_check::TypeInfos& in, const ConvolutionPlan& plan);
/// What both directions add to, or make anew where `so_far` is none: the gradients by the filters W, from the images
/// and the results of the convolution, and by the bias that was added to `biased`.
Variable filters_gradient(const ConvolutionPlan& plan, const Shape& W, const Variable& images, const Variable& results,
                          const Variable& so_far);
Variable bias_gradient(const Variable& biased, const Variable& so_far);

struct ConvolutionOptions;
struct DeconvolutionOptions;
/// The functions with a fixed number of spatial axes.
Variable convolve(int axes, const Variable& x, const Variable& W, const Variable& b, const ConvolutionOptions& options);
Variable deconvolve(int axes, const Variable& x, const Variable& W, const Variable& b,
                    const DeconvolutionOptions& options);

}  // namespace chainer::functions
