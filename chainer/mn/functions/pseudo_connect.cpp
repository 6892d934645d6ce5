// SPDX-License-Identifier: MIT
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

struct PseudoConnect : FunctionNode {
  Arrays forward(const Arrays& in) override {
    delegate = in[0];
    Arrays out;
    for (std::size_t i = 1; i < in.size(); ++i) out.push_back(in[i]);
    return out;
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables out;
    for (int i : wanted)
      out.push_back(i == 0 ? Variable(zeros(delegate.shape(), delegate.dtype()), false)
                           : gy[static_cast<std::size_t>(i - 1)]);
    return out;
  }
  Array delegate;
};

}  // namespace

Variables pseudo_connect(const Variable& delegate, const Variables& actual) {
  if (!delegate) throw TypeError("pseudo_connect: the delegate variable is none");
  if (actual.empty()) throw ValueError("pseudo_connect: the actual variables must not be empty");
  Variables in{on_device_of(actual[0], delegate)};
  for (const Variable& v : actual) in.push_back(v);
  return apply(PseudoConnect(), in);
}
Variable pseudo_connect(const Variable& delegate, const Variable& actual) {
  return pseudo_connect(delegate, Variables{actual})[0];
}

}  // namespace chainer::mn::functions
