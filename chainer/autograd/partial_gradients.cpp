// SPDX-License-Identifier: MIT
#include "chainer/autograd/partial_gradients.h"

#include "chainer/autograd/backprop.h"
#include "chainer/autograd/backward_scope.h"

namespace chainer {
namespace {

// Creates another node for the same array.
struct Alias : FunctionNode {
  std::string label() const override { return "Alias"; }
  Arrays forward(const Arrays& x) override { return x; }
  Variables backward(const Indexes&, const Variables& gy) override { return gy; }
};

}  // namespace

Variables partial_gradients(const std::function<Variables(const Variables&)>& f, const Variables& inputs,
                            const Indexes& wanted, const Variables& gy) {
  const bool graph = config().enable_backprop;
  const ForceBackpropMode recording;
  Variables apart, reached, gradients, sources;
  for (const Variable& x : inputs) apart.push_back(x.requires_grad() ? apply_single(Alias(), x) : x);
  const Variables y = f(apart);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (gy[i]) reached.push_back(y[i]), gradients.push_back(gy[i]);
  for (int i : wanted) sources.push_back(apart[static_cast<std::size_t>(i)]);
  return grad_within(
      reached, sources, apart,
      {.grad_outputs = gradients, .enable_double_backprop = graph, .loss_scale = BackwardScope::current_loss_scale()});
}

}  // namespace chainer
