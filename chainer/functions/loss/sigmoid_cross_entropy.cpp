// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/array/recording/step.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

struct SigmoidCrossEntropyNode : FunctionNode, Described {
  explicit SigmoidCrossEntropyNode(const SigmoidCrossEntropyOptions& o) : options(o) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "SigmoidCrossEntropy"; }
  void describe(NodeAttributes& a) const override { a("options", options); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x", "t"});
    type_check::expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[0].shape() == in[1].shape());
  }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    const Array &x = in[0], &t = in[1];
    valid = not_equal(t, -1).astype(x.dtype());
    // -log of the label's probability, softplus(x) - x t. For x >= 0 it is written as softplus(-x) + x (1 - t), which
    // avoids cancellation where the label is right.
    const Array positive = greater_equal(x, 0).astype(x.dtype());
    sign = 1 - 2 * positive;
    rest = positive - t.astype(x.dtype());
    const Array loss = (chainer::softplus(x * sign) + x * rest) * valid;
    if (options.reduce == Reduction::no) return {loss};
    // Sums of more than 65,504 losses overflow float16, and 1 / count is not a normal number there.
    const Dtype wide = item_size(x.dtype()) == 2 ? float32 : x.dtype();
    scale = Array(Shape{}, wide, x.device());
    if (options.reduce != Reduction::mean) {
      scale.fill(1);
    } else if (!options.normalize) {
      scale.fill(1 / std::max(static_cast<double>(len(x)), 1.0));
    } else {
      const Array count = chainer::sum(valid, {}, false, float64);
      if (!x.device().is_host())
        scale = chainer::reciprocal(chainer::maximum(count, scalar_array(1.0, count))).astype(wide);
      else
        recording::step(
            "scale", {&count, 1}, {&scale, 1},
            [](std::span<const Array> counted, std::span<Array> out) {
              out[0].fill(1 / std::max(counted[0].item<double>(), 1.0));
            },
            true);
    }
    return {(chainer::sum(loss, {}, false, wide) * scale).astype(x.dtype(), false)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    const Variable g = options.reduce == Reduction::no
                           ? gy[0]
                           : broadcast_to(cast(cast(gy[0], scale.dtype()) * scale, x.dtype()), x.shape());
    // sigmoid(x) - t, also without cancellation.
    return {g * (sigmoid(x * sign) * sign + rest) * valid, Variable()};
  }
  SigmoidCrossEntropyOptions options;
  Array sign, rest, valid, scale;
};

}  // namespace

Variable SigmoidCrossEntropy::operator()(const Variable& x, const Variable& t,
                                         const SigmoidCrossEntropyOptions& o) const {
  check_plain_reduction(o.reduce, name);
  return apply_single(SigmoidCrossEntropyNode(o), x, t);
}

}  // namespace chainer::functions
