#include "chainer/functions/math.h"
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

// Inputs: x at root, and the delegate.
struct Bcast : CollectiveNode {
  using CollectiveNode::CollectiveNode;
  Arrays forward(const Arrays& in) override {
    const bool at_root = comm->rank() == root;
    return remember({comm->bcast(at_root ? in[0] : Array(), {}, root)});
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variables all = gather_after(comm, with_zeros(gy)[0], root, Variable());
    if (comm->rank() != root) return all;
    Variable sum = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) sum = sum + all[i];
    Variables out;
    for (int i : wanted) out.push_back(i == 0 ? sum : Variable(zeros({}, float32), false));
    return out;
  }
};

}  // namespace

Variable bcast(const Communicator& comm, const Variable& x, int root) {
  if (comm->rank() != root) return apply(Bcast(comm, root), {fresh_delegate()})[0];
  return apply(Bcast(comm, root), {x, fresh_delegate()})[0];
}

}  // namespace chainer::mn::functions
