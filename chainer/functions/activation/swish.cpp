// SPDX-License-Identifier: MIT
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/activation/channel_scale.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

struct SwishFunction : FunctionNode {
  std::string label() const override { return "Swish"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x", "beta"});
    check_channels(in);
  }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {binary(Elementwise::swish, in[0], in[1].reshape(channel_shape(in[1].shape(), in[0].ndim())))};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [x, beta] = retained_inputs<2>();
    const Shape channels = channel_shape(beta.shape(), x.ndim());
    if (config().enable_backprop) {
      // Past 1000 sigmoid is constant in every dtype. The clip keeps an infinite argument from giving 0 * inf = NaN.
      const auto composed = [&](const Variables& in) {
        return Variables{in[0] * sigmoid(clip(functions::reshape(in[1], channels) * in[0], -1000, 1000))};
      };
      return partial_gradients(composed, {x, beta}, wanted, gy);
    }
    const Array b = beta.array().reshape(channels), g = gy[0].array();
    Variables out;
    for (int i : wanted)
      out.push_back(i == 0 ? ternary(Elementwise::swish_grad, x.array(), b, g)
                           : sum_to_channels(ternary(Elementwise::swish_grad_beta, x.array(), b, g), beta.shape()));
    return out;
  }
};

}  // namespace

Variable Swish::operator()(const Variable& x, const Variable& beta) const {
  return apply_single(SwishFunction(), x, beta);
}

}  // namespace chainer::functions
