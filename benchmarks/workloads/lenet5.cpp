// SPDX-License-Identifier: MIT
// LeNet-5 on 28 x 28, batch 128, Adam.
#include "../workload.h"

namespace bench {
using namespace chainer;

struct LeNet5 : Chain {
  L::Convolution2D conv1{1, 6, 5, {.pad = 2}}, conv2{6, 16, 5}, conv3{16, 120, 4};
  L::Linear fc4{480, 84}, fc5{84, 10};
  CHAINER_MEMBERS(LeNet5, conv1, conv2, conv3, fc4, fc5);
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::relu(conv1(x)), 2);
    h = F::max_pooling_2d(F::relu(conv2(h)), 2);
    return fc5(F::relu(fc4(F::relu(conv3(h)))));
  }
};

Step lenet5() {
  auto model = std::make_shared<LeNet5>();
  const Array x = uniform({128, 1, 28, 28}), t = labels(10, {128});
  const auto loss = maybe_static(
      [=](const Variable& x, const Variable& t) { return F::softmax_cross_entropy(model->forward(x), t); }, *model);
  Step s = training(model, [=] { return loss(x, t); });
  s.inputs = {{"x", x}, {"t", t}};
  return s;
}

}  // namespace bench
