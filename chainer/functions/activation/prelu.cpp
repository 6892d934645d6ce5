// SPDX-License-Identifier: MIT
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/activation/channel_scale.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

struct PReLUFunction : FunctionNode {
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x", "W"});
    check_channels(in);
  }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {binary(Elementwise::leaky_relu, in[0], in[1].reshape(channel_shape(in[1].shape(), in[0].ndim())))};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [x, W] = retained_inputs<2>();
    const Shape channels = channel_shape(W.shape(), x.ndim());
    if (config().enable_backprop) {
      const Array positive = (x.array() >= 0).astype(x.dtype());
      const auto composed = [&](const Variables& in) {
        return Variables{in[0] * positive + in[0] * (1 - positive) * functions::reshape(in[1], channels)};
      };
      return partial_gradients(composed, {x, W}, wanted, gy);
    }
    Variables out;
    for (int i : wanted)
      out.push_back(i == 0 ? ternary(Elementwise::prelu_grad, x.array(), W.array().reshape(channels), gy[0].array())
                           : sum_to_channels(prelu_grad_slope(x.array(), gy[0].array()), W.shape()));
    return out;
  }
};

}  // namespace

Variable Prelu::operator()(const Variable& x, const Variable& W) const { return apply_single(PReLUFunction(), x, W); }

}  // namespace chainer::functions
