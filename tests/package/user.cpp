// SPDX-License-Identifier: MIT
// A user's program: trains a small perceptron on data of its own.
#include <chainer/chainer.h>

using namespace chainer;

struct MLP : Chain {
  L::Linear l1, l2;
  MLP() : l1(20), l2(2) {}
  CHAINER_MEMBERS(MLP, l1, l2);
  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }
};

int main() {
  random::seed(0);
  Array x = random::rand({200, 5}, float32);
  Array t = (sum(x, 1) > 2.5).astype(int32);
  L::Classifier model{MLP()};
  auto optimizer = optimizers::Adam({.alpha = 0.01}).setup(model);
  Variable loss;
  for (int i = 0; i < 200; ++i) {
    loss = model(x, t);
    model.cleargrads();
    loss.backward();
    optimizer.update();
  }
  std::printf("loss %.3f\n", loss.item<double>());
  return loss.item<double>() < 0.2 ? 0 : 1;
}
