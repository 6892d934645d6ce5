// SPDX-License-Identifier: MIT
// Shared by the functions that communicate.
#pragma once
#include "chainer/autograd/config.h"
#include "chainer/functions/array.h"
#include "chainer/mn/functions.h"
#include "chainer/routines/creation.h"

namespace chainer::mn::functions {

/// Communication is between arrays on the host: inputs on a device are copied, and so are results.
inline Variable on_host(const Variable& v) { return v && !v.device().is_host() ? F::copy(v, Device()) : v; }
inline Variables on_host(const Variables& all) {
  Variables out;
  for (const Variable& v : all) out.push_back(on_host(v));
  return out;
}
inline Variable on_device_of(const Variable& like, const Variable& v) {
  return like && like.device() != v.device() ? F::copy(v, like.device()) : v;
}
inline Variables on_device_of(const Variable& like, const Variables& all) {
  Variables out;
  for (const Variable& v : all) out.push_back(on_device_of(like, v));
  return out;
}

/// Returns a delegate that represents no earlier communication.
inline Variable fresh_delegate() { return Variable(zeros({}, float32)); }
inline Variable no_gradient() { return Variable(zeros({}, float32), false); }
/// Returns the gradient, zeros, of an ignored input; differentiating it differentiates the delegate's communication.
inline Variable zeros_after(const Variable& delegate, const Array& x) {
  return pseudo_connect(delegate, Variable(zeros_like(x), false));
}
/// Returns a delegate that requires a gradient, so that the backward pass runs on this rank as on the others.
inline Variable or_fresh(const Variable& delegate) {
  return delegate && delegate.requires_grad() ? on_host(delegate) : fresh_delegate();
}

/// A node of a collective function. Its last input is a delegate that always requires a gradient, so that backward,
/// which all ranks must run, also runs on ranks whose own inputs require no gradient.
class CollectiveNode : public FunctionNode {
 public:
  CollectiveNode(Communicator c, int r) : comm(std::move(c)), root(r) {}

 protected:
  /// Stores the outputs, for zeros in place of missing gradients, and for a delegate that represents this call.
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
  /// Returns a delegate of this node, so that gradients of gradients visit the node on all ranks, even if they do not
  /// depend on its outputs.
  Variable after_this() {
    return config().enable_backprop ? pseudo_connect(retained_output(0), fresh_delegate()) : fresh_delegate();
  }
  Communicator comm;
  int root;
  std::vector<Array> like;
};

/// The functions with a delegate that represents earlier communication.
Variables gather_after(const Communicator& comm, const Variable& x, int root, const Variable& delegate);
Variable scatter_after(const Communicator& comm, const Variables& xs, int root, const Variable& delegate);
Variables alltoall_after(const Communicator& comm, const Variables& xs, const Variable& delegate);
Variable mean_after(const Communicator& comm, const Variable& x, const Variable& delegate);

}  // namespace chainer::mn::functions
