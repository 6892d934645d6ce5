// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

// Inputs: x (optional) and the delegate.
struct Bcast : CollectiveNode {
  using CollectiveNode::CollectiveNode;
  Arrays forward(const Arrays& in) override {
    if (in.size() > 1) x = in[0];
    return remember({comm->bcast(comm->rank() == root ? in[0] : Array(), {}, root)});
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variables all = gather_after(comm, with_zeros(gy)[0], root, after_this());
    const bool at_root = comm->rank() == root;
    Variable sum = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) sum = sum + all[i];
    Variables out;
    for (int i : wanted) {
      if (i == 0 && x)
        out.push_back(at_root ? sum : zeros_after(all[0], x));
      else
        out.push_back(at_root ? no_gradient() : all[0]);
    }
    return out;
  }
  Array x;
};

}  // namespace

Variable bcast(const Communicator& comm, const Variable& x, int root) {
  if (!x) return apply(Bcast(comm, root), {fresh_delegate()})[0];
  return on_device_of(x, apply(Bcast(comm, root), {on_host(x), fresh_delegate()})[0]);
}

}  // namespace chainer::mn::functions
