// SPDX-License-Identifier: MIT
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

// Inputs: x and the delegate.
struct Gather : CollectiveNode {
  using CollectiveNode::CollectiveNode;
  Arrays forward(const Arrays& in) override {
    Arrays all = comm->gather(in[0], root);
    if (comm->rank() != root) all = Arrays{zeros({}, float32)};
    return remember(std::move(all));
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const bool at_root = comm->rank() == root;
    const Variable gx = at_root ? scatter_after(comm, with_zeros(gy), root, after_this())
                                : scatter_after(comm, {}, root, pseudo_connect(after_this(), gy[0]));
    Variables out;
    for (int i : wanted) out.push_back(i == 0 ? gx : no_gradient());
    return out;
  }
};

}  // namespace

Variables gather_after(const Communicator& comm, const Variable& x, int root, const Variable& delegate) {
  return apply(Gather(comm, root), {x, or_fresh(delegate)});
}
Variables gather(const Communicator& comm, const Variable& x, int root) {
  const Variables all = gather_after(comm, on_host(x), root, {});
  return comm->rank() == root ? on_device_of(x, all) : all;
}

}  // namespace chainer::mn::functions
