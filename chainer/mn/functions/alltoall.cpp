// SPDX-License-Identifier: MIT
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

// Inputs: one variable per rank, and the delegate.
struct AllToAll : CollectiveNode {
  using CollectiveNode::CollectiveNode;
  Arrays forward(const Arrays& in) override {
    Arrays xs;
    for (std::size_t i = 0; i + 1 < in.size(); ++i) xs.push_back(in[i]);
    return remember(comm->alltoall(xs));
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variables all = alltoall_after(comm, with_zeros(gy), after_this());
    Variables out;
    for (int i : wanted)
      out.push_back(static_cast<std::size_t>(i) < all.size() ? all[static_cast<std::size_t>(i)] : no_gradient());
    return out;
  }
};

}  // namespace

Variables alltoall_after(const Communicator& comm, const Variables& xs, const Variable& delegate) {
  Variables in = xs;
  in.push_back(or_fresh(delegate));
  return apply(AllToAll(comm, 0), in);
}
Variables alltoall(const Communicator& comm, const Variables& xs) {
  return on_device_of(xs.empty() ? Variable() : xs[0], alltoall_after(comm, on_host(xs), {}));
}

}  // namespace chainer::mn::functions
