// SPDX-License-Identifier: MIT
#include "chainer/mn/functions/nodes.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::mn::functions {
namespace {

struct MeanOverRanks : CollectiveNode {
  using CollectiveNode::CollectiveNode;
  Arrays forward(const Arrays& in) override { return remember({comm->allreduce(in[0]) * (1.0 / comm->size())}); }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable gx = mean_after(comm, with_zeros(gy)[0], after_this());
    Variables out;
    for (int i : wanted) out.push_back(i == 0 ? gx : no_gradient());
    return out;
  }
};

}  // namespace

Variable mean_after(const Communicator& comm, const Variable& x, const Variable& delegate) {
  return apply(MeanOverRanks(comm, 0), {x, or_fresh(delegate)})[0];
}
Variable mean_over_ranks(const Communicator& comm, const Variable& x) {
  return on_device_of(x, mean_after(comm, on_host(x), {}));
}

}  // namespace chainer::mn::functions
