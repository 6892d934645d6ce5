// SPDX-License-Identifier: MIT
// A gradient penalty: the gradient of the norm of a gradient of a 3-layer tanh perceptron of 256 units, batch 64.
#include "../workload.h"

namespace bench {
using namespace chainer;

struct Critic : Chain {
  L::Linear l1{256, 256}, l2{256, 256}, l3{256, 1};
  CHAINER_MEMBERS(Critic, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::tanh(l2(F::tanh(l1(x))))); }
};

Step double_backprop() {
  auto model = std::make_shared<Critic>();
  const Variable x(uniform({64, 256}));
  const auto penalty = maybe_static(
      [=](const Variable& x) {
        const Variable g = grad({F::sum(model->forward(x))}, {x}, {.enable_double_backprop = true})[0];
        return F::mean(F::square(F::sqrt(F::sum(F::square(g), 1) + 1e-12) - 1));
      },
      *model);
  Step s = training(model, [=] { return penalty(x); });
  s.inputs = {{"x", x.array()}};
  return s;
}

}  // namespace bench
