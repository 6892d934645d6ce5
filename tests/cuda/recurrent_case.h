// SPDX-License-Identifier: MIT
// A recurrent network of several steps with all its gradients, on any device.
#pragma once
#include <chainer/chainer.h>

#include <vector>

#include "chainer/functions/rnn/packed.h"

struct RecurrentCase {
  chainer::functions::RnnKind kind;
  bool both_directions = false;
  int64_t layers = 1, inputs = 3, units = 3, batch = 3;
  std::vector<int64_t> sizes = {3, 2, 2, 1};
  bool first_states = true;
  chainer::Dtype dtype = chainer::float32;

  /// The inputs: items, hx and cx (or empty), then weights and biases of each layer.
  chainer::Variables drawn(const chainer::Device& d) const {
    using namespace chainer;
    const int64_t rows = layers * (both_directions ? 2 : 1), gates = weight_count(kind) / 2;
    uint32_t seed = 0;
    const auto draw = [&](const Shape& s) {
      return Variable((random::RandomState(++seed).randn(s) * 0.7).astype(dtype).to_device(d));
    };
    int64_t items = 0;
    for (const int64_t n : sizes) items += n;
    const Shape states{rows, batch, units};
    Variables out{draw({items, inputs}), first_states ? draw(states) : Variable(),
                  first_states && kind == RnnKind::lstm ? draw(states) : Variable()};
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t columns = row < rows / layers ? inputs : units * rows / layers;
      for (int64_t k = 0; k < 2 * gates; ++k) out.push_back(draw({units, k < gates ? columns : units}));
      for (int64_t k = 0; k < 2 * gates; ++k) out.push_back(draw({units}));
    }
    return out;
  }
  /// Returns y, hy, and for LSTMs cy.
  chainer::Variables apply(const chainer::Variables& in) const {
    const auto count = static_cast<std::size_t>(chainer::weight_count(kind));
    std::vector<chainer::Variables> ws, bs;
    for (std::size_t at = 3; at < in.size(); at += 2 * count) {
      ws.emplace_back(in.begin() + at, in.begin() + at + count);
      bs.emplace_back(in.begin() + at + count, in.begin() + at + 2 * count);
    }
    const auto r = chainer::functions::apply_rnn({"a network", kind, both_directions, layers, 0, ws, bs}, in[1], in[2],
                                                 {in[0], sizes}, batch);
    chainer::Variables out{r.y, r.hy};
    if (r.cy) out.push_back(r.cy);
    return out;
  }
  /// The inputs that exist.
  static chainer::Variables given(const chainer::Variables& in) {
    chainer::Variables out;
    for (const chainer::Variable& v : in)
      if (v) out.push_back(v);
    return out;
  }
  /// Returns the gradients of a weighted sum of outputs.
  static chainer::Variables gradients(const chainer::Variables& outputs, const chainer::Variables& of,
                                      bool with_graph = false) {
    using namespace chainer;
    Variables weights;
    for (const Variable& y : outputs)
      weights.push_back(Variable(random::RandomState(77).randn(y.shape()).astype(y.dtype()).to_device(y.device())));
    return grad(outputs, of, {.grad_outputs = weights, .enable_double_backprop = with_graph});
  }
  /// Returns outputs and gradients.
  chainer::Arrays results(const chainer::Device& d) const {
    using namespace chainer;
    const Variables in = drawn(d), out = apply(in);
    Arrays all;
    for (const Variable& y : out) all.push_back(y.array());
    for (const Variable& g : gradients(out, given(in)))
      if (g) all.push_back(g.array());
    return all;
  }
};
