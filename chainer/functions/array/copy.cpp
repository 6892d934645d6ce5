// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"

namespace chainer::functions {
namespace {

struct CopyNode : FunctionNode {
  explicit CopyNode(const Device& d) : device(d) {}
  std::string label() const override { return "Copy"; }
  Arrays forward(const Arrays& x) override {
    from = x[0].device();
    return {x[0].device() == device ? x[0].copy() : x[0].to_device(device)};
  }
  Variables backward(const Indexes&, const Variables& gy) override { return {copy(gy[0], from)}; }
  Device device, from;
};

}  // namespace

Variable Copy::operator()(const Variable& x, const Device& device) const { return apply_single(CopyNode(device), x); }

}  // namespace chainer::functions
