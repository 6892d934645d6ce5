// SPDX-License-Identifier: MIT
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

// Inputs: xs and the delegate.
struct Scatter : CollectiveNode {
  using CollectiveNode::CollectiveNode;
  Arrays forward(const Arrays& in) override {
    xs = Arrays(in.begin(), in.end() - 1);
    return remember({comm->scatter(xs, root)});
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variables all = gather_after(comm, with_zeros(gy)[0], root, after_this());
    const bool at_root = comm->rank() == root;
    Variables out;
    for (int i : wanted) {
      const auto k = static_cast<std::size_t>(i);
      if (k < xs.size())
        out.push_back(at_root ? all[k] : zeros_after(all[0], xs[k]));
      else
        out.push_back(at_root ? no_gradient() : all[0]);
    }
    return out;
  }
  Arrays xs;
};

}  // namespace

Variable scatter_after(const Communicator& comm, const Variables& xs, int root, const Variable& delegate) {
  Variables in = xs;
  in.push_back(or_fresh(delegate));
  return apply(Scatter(comm, root), in)[0];
}
Variable scatter(const Communicator& comm, const Variables& xs, int root) {
  return on_device_of(xs.empty() ? Variable() : xs[0], scatter_after(comm, on_host(xs), root, {}));
}

}  // namespace chainer::mn::functions
