// SPDX-License-Identifier: MIT
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

struct Recv : FunctionNode {
  Recv(Communicator c, int r, int t) : comm(std::move(c)), peer(r), tag(t) {}
  std::string label() const override { return text("Recv (peer_rank: ", peer, ")"); }
  Arrays forward(const Arrays& in) override {
    delegate = in[0];
    retain_outputs({0});
    wants_gradients = comm->recv_obj(peer, tag).to_bool();
    Arrays out = comm->recv_tuple(peer, tag);
    for (const Array& y : out) like.push_back(y);
    return out;
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    if (!wants_gradients) return {Variable(zeros_like(delegate), false)};
    Variables all;
    for (std::size_t i = 0; i < gy.size(); ++i)
      all.push_back(gy[i] ? gy[i] : Variable(zeros(like[i].shape(), like[i].dtype()), false));
    // The gradient with respect to the delegate, so that the backward of earlier communication follows this message.
    Variable sent = send(all, comm, peer, tag);
    // For double backward: connects the gradient to this node's output, as the sender's node does.
    if (config().enable_backprop) sent = pseudo_connect(retained_output(0), sent);
    return {delegate.ndim() == 0 && delegate.dtype() == float32 ? sent : zeros_after(sent, delegate)};
  }
  Communicator comm;
  int peer, tag;
  bool wants_gradients = false;
  Array delegate;
  std::vector<Array> like;
};

}  // namespace

Variables recv_tuple(const Communicator& comm, int rank, const RecvOptions& o) {
  return apply(Recv(comm, rank, o.tag), {or_fresh(o.delegate_variable)});
}
Variable recv(const Communicator& comm, int rank, const RecvOptions& o) {
  const Variables out = recv_tuple(comm, rank, o);
  if (out.size() != 1)
    throw ValueError("recv: rank ", rank, " sent ", out.size(), " variables, expected one; use recv_tuple()");
  return out[0];
}

}  // namespace chainer::mn::functions
