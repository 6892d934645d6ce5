// What the functions that communicate share.
#pragma once
#include "chainer/autograd/config.h"
#include "chainer/mn/functions.h"
#include "chainer/routines/creation.h"

namespace chainer::mn::functions {

/// A delegate that nothing was done before.
inline Variable fresh_delegate() { return Variable(zeros({}, float32)); }
inline Variable no_gradient() { return Variable(zeros({}, float32), false); }
/// The gradient of an input that was ignored; who differentiates it differentiates what the delegate stands for.
inline Variable zeros_after(const Variable& delegate, const Array& x) {
  return pseudo_connect(delegate, Variable(zeros_like(x), false));
}
/// A delegate whose backward comes: that of a function that communicates must, since the other ranks' do.
inline Variable or_fresh(const Variable& delegate) {
  return delegate && delegate.requires_grad() ? delegate : fresh_delegate();
}

/// A node of a function that all ranks compute. Its last input is a delegate that always wants a gradient, so that its
/// backward, which all ranks must call, exists on ranks whose own inputs want none.
class CollectiveNode : public FunctionNode {
 public:
  CollectiveNode(Communicator c, int r) : comm(std::move(c)), root(r) {}

 protected:
  /// Remembers the outputs, for zeros in place of gradients that are not there, and for a delegate that stands for
  /// this application.
  Arrays remember(Arrays outputs) {
    retain_outputs({0});
    for (const Array& y : outputs) like.push_back(y);
    return outputs;
  }
  Variables with_zeros(const Variables& gy) const {
    Variables out;
    for (std::size_t i = 0; i < gy.size(); ++i)
      out.push_back(gy[i] ? gy[i] : Variable(zeros(like[i].shape(), like[i].dtype()), false));
    return out;
  }
  /// A delegate behind this node: gradients of gradients visit it on all ranks, also where they do not depend on what
  /// came out of it.
  Variable after_this() {
    return config().enable_backprop ? pseudo_connect(retained_output(0), fresh_delegate()) : fresh_delegate();
  }
  Communicator comm;
  int root;
  std::vector<Array> like;
};

/// The functions with a delegate that comes before them.
Variables gather_after(const Communicator& comm, const Variable& x, int root, const Variable& delegate);
Variable scatter_after(const Communicator& comm, const Variables& xs, int root, const Variable& delegate);
Variables alltoall_after(const Communicator& comm, const Variables& xs, const Variable& delegate);
Variable mean_after(const Communicator& comm, const Variable& x, const Variable& delegate);

}  // namespace chainer::mn::functions
