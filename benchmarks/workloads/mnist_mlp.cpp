// SPDX-License-Identifier: MIT
// A 784-1000-1000-10 relu perceptron, batch 100, Adam.
#include "../workload.h"

namespace bench {

struct MLP : chainer::Chain {
  chainer::L::Linear l1{784, 1000}, l2{1000, 1000}, l3{1000, 10};
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  chainer::Variable forward(const chainer::Variable& x) { return l3(chainer::F::relu(l2(chainer::F::relu(l1(x))))); }
};

Step mnist_mlp() {
  auto model = std::make_shared<MLP>();
  const chainer::Array x = uniform({100, 784}), t = labels(10, {100});
  const auto loss =
      maybe_static([=](const chainer::Variable& x,
                       const chainer::Variable& t) { return chainer::F::softmax_cross_entropy(model->forward(x), t); },
                   *model);
  Step s = training(model, [=] { return loss(x, t); });
  s.inputs = {{"x", x}, {"t", t}};
  return s;
}

}  // namespace bench
