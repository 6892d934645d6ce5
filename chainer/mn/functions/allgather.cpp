// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

// Inputs: x and the delegate.
struct AllGather : CollectiveNode {
  using CollectiveNode::CollectiveNode;
  Arrays forward(const Arrays& in) override { return remember(comm->allgather(in[0])); }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variables all = alltoall_after(comm, with_zeros(gy), after_this());
    Variable sum = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) sum = sum + all[i];
    Variables out;
    for (int i : wanted) out.push_back(i == 0 ? sum : no_gradient());
    return out;
  }
};

}  // namespace

Variables allgather(const Communicator& comm, const Variable& x) {
  return on_device_of(x, apply(AllGather(comm, 0), {on_host(x), fresh_delegate()}));
}

}  // namespace chainer::mn::functions
