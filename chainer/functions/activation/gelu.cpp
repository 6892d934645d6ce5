// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {

// In functions on variables: what gradients with a graph go through.
Variable exact(const Variable& x) { return x * 0.5 * erfc(x * -std::numbers::sqrt2 / 2); }
Variable by_tanh(const Variable& x) {
  // Beyond 30 the result is x or 0 in every dtype; the cube of larger numbers may be infinite.
  const Variable z = clip(x, -30, 30);
  return x * sigmoid(z * (1 + 0.044715 * square(z)) * std::sqrt(8 / std::numbers::pi));
}

template <Elementwise op, Elementwise op_grad>
struct GeluNode : UnaryNode<op> {
  GeluNode(std::string_view l, Variable (*f)(const Variable&)) : name(l), composed(f) {}
  std::string label() const override { return name; }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable x = this->retained_input(0);
    if (config().enable_backprop)
      return partial_gradients([&](const Variables& in) { return Variables{composed(in[0])}; }, {x}, wanted, gy);
    return {Variable(binary(op_grad, x.array(), gy[0].array()), false)};
  }
  std::string name;
  Variable (*composed)(const Variable&);
};

}  // namespace

Variable Gelu::operator()(const Variable& x, const GeluOptions& o) const {
  const bool tanh = o.approximate == Approximation::tanh;
  if (CompositeRecorder::current) return tanh ? by_tanh(x) : exact(x);  // of operators that exporters know
  if (tanh) return apply_single(GeluNode<Elementwise::gelu_tanh, Elementwise::gelu_tanh_grad>("GeluTanh", by_tanh), x);
  return apply_single(GeluNode<Elementwise::gelu, Elementwise::gelu_grad>("Gelu", exact), x);
}

}  // namespace chainer::functions
