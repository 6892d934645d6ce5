// SPDX-License-Identifier: MIT
#include "chainer/autograd/config.h"
#include "chainer/mn/functions/nodes.h"

namespace chainer::mn::functions {
namespace {

struct Send : FunctionNode {
  Send(Communicator c, int r, int t, bool w) : comm(std::move(c)), peer(r), tag(t), wants_gradients(w) {}
  std::string label() const override { return text("Send (peer_rank: ", peer, ")"); }
  Arrays forward(const Arrays& xs) override {
    comm->send_obj(Object(wants_gradients), peer, tag);
    comm->send(xs, peer, tag);
    retain_outputs({0});
    return {zeros({}, float32)};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    // Connected to this node's output, so that a double backward passes through this node to the other rank.
    const Variable before = config().enable_backprop ? pseudo_connect(retained_output(0), gy[0]) : gy[0];
    const Variables all = recv_tuple(comm, peer, {.delegate_variable = before, .tag = tag});
    if (all.size() != inputs().size())
      throw ValueError(label(), ": sent ", inputs().size(), " variables, received ", all.size(), " gradients");
    Variables out;
    for (int i : wanted) out.push_back(all[static_cast<std::size_t>(i)]);
    return out;
  }
  Communicator comm;
  int peer, tag;
  bool wants_gradients;
};

}  // namespace

Variable send(const Variables& xs, const Communicator& comm, int rank, int tag) {
  if (xs.empty()) throw ValueError("send: variables must not be empty");
  bool wants = false;
  for (const Variable& x : xs) wants |= x.requires_grad();
  return apply(Send(comm, rank, tag, wants && config().enable_backprop), on_host(xs))[0];
}
Variable send(const Variable& x, const Communicator& comm, int rank, int tag) {
  return send(Variables{x}, comm, rank, tag);
}

}  // namespace chainer::mn::functions
