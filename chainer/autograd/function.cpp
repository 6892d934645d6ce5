// SPDX-License-Identifier: MIT
#include "chainer/autograd/function.h"
#include "chainer/core/system/type_name.h"

namespace chainer {
namespace {

// The gradients of an old-style function in a second graph; differentiating them throws. Its inputs are all arrays on
// which the gradients depend, so that every path of a second differentiation leads here.
struct OldStyleGradient : FunctionNode {
  OldStyleGradient(Arrays g, std::string n) : gradients(std::move(g)), name(std::move(n)) {}
  Arrays forward(const Arrays&) override { return gradients; }
  Variables backward(const Indexes&, const Variables&) override {
    throw RuntimeError("cannot twice-differentiate an old style Function \"", name, "\"");
  }
  Arrays gradients;
  std::string name;
};

}  // namespace

Arrays Function::backward(const Arrays& inputs, const Arrays&) { return Arrays(inputs.size()); }

std::string Function::label() const { return type_name(typeid(*this)); }

Arrays FunctionAdapter::forward(const Arrays& in) {
  function_->retained_in_.reset();
  Arrays out = function_->forward(in);
  if (function_->retained_in_) {
    FunctionNode::retain_inputs(*function_->retained_in_);
  } else {
    Indexes all;
    for (std::size_t i = 0; i < in.size(); ++i) all.push_back(static_cast<int>(i));
    FunctionNode::retain_inputs(all);
  }
  FunctionNode::retain_outputs(function_->retained_out_);
  return out;
}

Variables FunctionAdapter::backward(const Indexes& wanted, const Variables& gy) {
  function_->output_data_ = FunctionNode::output_data();
  Arrays g;
  for (const Variable& v : gy) g.push_back(v.array());
  const Arrays in = input_data();
  Arrays out = function_->backward(in, g);
  if (out.size() != in.size())
    throw ValueError("backward of ", label(), " returned ", out.size(), " gradients for ", in.size(), " inputs");
  Variables result(wanted.size());
  Arrays present;
  for (int i : wanted)
    if (const Array& g2 = out[static_cast<std::size_t>(i)]) present.push_back(g2);
  Variables carried;
  if (config().enable_backprop && !present.empty()) {
    Variables depends = FunctionNode::retained_inputs();
    for (const Variable& v : gy)
      if (v) depends.push_back(v);
    carried = apply(OldStyleGradient(present, label()), depends);
  } else {
    for (const Array& a : present) carried.push_back(a);
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (out[static_cast<std::size_t>(wanted[k])]) result[k] = carried[next++];
  return result;
}

}  // namespace chainer
