#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

// Inputs: xs at root, and the delegate.
struct Scatter : CollectiveNode {
  using CollectiveNode::CollectiveNode;
  Arrays forward(const Arrays& in) override {
    Arrays xs;
    for (std::size_t i = 0; i + 1 < in.size(); ++i) xs.push_back(in[i]);
    return remember({comm->scatter(xs, root)});
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variables all = gather_after(comm, with_zeros(gy)[0], root, Variable());
    if (comm->rank() != root) return all;
    Variables out;
    for (int i : wanted)
      out.push_back(static_cast<std::size_t>(i) < all.size() ? all[static_cast<std::size_t>(i)]
                                                             : Variable(zeros({}, float32), false));
    return out;
  }
};

}  // namespace

Variable scatter_after(const Communicator& comm, const Variables& xs, int root, const Variable& delegate) {
  Variables in;
  if (comm->rank() == root)
    for (const Variable& x : xs) in.push_back(x);
  in.push_back(or_fresh(delegate));
  return apply(Scatter(comm, root), in)[0];
}
Variable scatter(const Communicator& comm, const Variables& xs, int root) {
  return scatter_after(comm, xs, root, {});
}

}  // namespace chainer::mn::functions
