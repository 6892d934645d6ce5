// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/links/recurrent/state.h"

namespace chainer::links {
namespace {

// The arguments of a node: cells and outputs of its children, and its input. Missing ones are replaced by zeros.
struct Node {
  Variables c, h;
  Variable x;
  bool has(std::size_t child) const { return static_cast<bool>(h[child]); }
};

Node node(std::string_view link, const Variables& in, int64_t in_size, int64_t units) {
  if (in.size() % 2 == 0)
    throw ValueError(link, ": expected as many cells as outputs of children, then x; got ", in.size(), " arguments");
  const std::size_t children = in.size() / 2;
  Node n{{in.begin(), in.begin() + children}, {in.begin() + children, in.end() - 1}, in.back()};
  if (!n.x) {
    const Variable* some = nullptr;
    for (const Variable& v : in)
      if (v && !some) some = &v;
    if (!some) throw ValueError(link, ": x or a state of a child must be given");
    n.x = Variable(zeros({len(*some), in_size}, some->dtype(), some->device()), false);
  }
  for (Variable& c : n.c) c = or_zeros(c, {len(n.x), units}, n.x);
  return n;
}

}  // namespace

ChildSumTreeLSTM::ChildSumTreeLSTM(int64_t in_size, int64_t out_size)
    : W_x(in_size, 4 * out_size),
      W_h_aio(out_size, 3 * out_size, {.nobias = true}),
      W_h_f(out_size, out_size, {.nobias = true}),
      in_size_(in_size),
      state_size_(out_size) {}

Variables ChildSumTreeLSTM::forward(const Variables& in) {
  using namespace functions;
  Node n = node("ChildSumTreeLSTM", in, in_size_, state_size_);
  const Variables from_x = split_axis(W_x(n.x), std::vector<int64_t>{3 * state_size_}, 1);
  const std::size_t children = n.h.size();
  if (children == 0) {
    const Variables g = split_axis(from_x[0], 3, 1);
    const Variable c = functions::sigmoid(g[1]) * functions::tanh(g[0]);
    return {c, functions::sigmoid(g[2]) * functions::tanh(c)};
  }
  for (Variable& h : n.h) h = or_zeros(h, {len(n.x), state_size_}, n.x);
  Variable sum = n.h[0];
  for (std::size_t k = 1; k < children; ++k) sum = sum + n.h[k];
  const Variable aio = W_h_aio(sum) + from_x[0];
  // One product for all children, whose results are then split and concatenated along axis 1.
  Variables gates{aio};
  if (children == 1) {
    gates.push_back(W_h_f(n.h[0]) + from_x[1]);
  } else {
    for (const Variable& f : split_axis(W_h_f(concat(n.h, 0)), static_cast<int64_t>(children), 0))
      gates.push_back(f + from_x[1]);
  }
  Variables arguments = n.c;
  arguments.push_back(concat(gates, 1));
  return functions::tree_lstm(arguments);
}

CHAINER_DEFINE_LINK(NaryTreeLSTM)

NaryTreeLSTM::NaryTreeLSTM(int64_t in_size, int64_t out_size, int64_t n_ary)
    : W_x(in_size, (3 + n_ary) * out_size), in_size_(in_size), state_size_(out_size) {
  if (n_ary < 1) throw ValueError("NaryTreeLSTM: n_ary must be at least 1, not ", n_ary);
  for (int64_t i = 0; i < n_ary; ++i) W_h.emplace_back(out_size, (3 + n_ary) * out_size, LinearOptions{.nobias = true});
}

void NaryTreeLSTM::visit(MemberVisitor& v) {
  v.link("W_x", W_x);
  for (std::size_t i = 0; i < W_h.size(); ++i) v.link("W_h" + std::to_string(i + 1), W_h[i]);
  visit_added(v);
}

Variables NaryTreeLSTM::forward(const Variables& in) {
  if (in.size() != 2 * W_h.size() + 1)
    throw ValueError("NaryTreeLSTM: expected ", W_h.size(), " cells, as many outputs, then x; got ", in.size(),
                     " arguments");
  const Node n = node("NaryTreeLSTM", in, in_size_, state_size_);
  Variable gates = W_x(n.x);
  for (std::size_t i = 0; i < W_h.size(); ++i)
    if (n.has(i)) gates = gates + W_h[i](n.h[i]);
  Variables arguments = n.c;
  arguments.push_back(gates);
  return functions::tree_lstm(arguments);
}

CHAINER_DEFINE_MEMBERS(ChildSumTreeLSTM, W_x, W_h_aio, W_h_f)

}  // namespace chainer::links
