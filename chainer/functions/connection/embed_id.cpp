// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/exclusive.h"
#include "chainer/array/operations/indices.h"
#include "chainer/array/recording/step.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

using Ignore = std::optional<int64_t>;

[[noreturn]] void fail(int64_t id, int64_t position, const IndexCheck& c) {
  throw IndexError("embed_id: id ", id, " at position ", position, " is outside the vocabulary of ", c.size);
}
// The row numbers, checked, with 0 for ignored ids.
Array checked_rows(const Array& ids, int64_t vocabulary, Ignore ignore) {
  if (!ids.device().is_host()) {
    Array rows(ids.shape(), int64, ids.device());
    ids.device().backend().check_indices({.size = vocabulary, .ignored = ignore, .fail = fail}, ids, rows);
    return rows;
  }
  Array rows = ids.astype(int64);
  recording::step("checked_rows", {}, {&rows, 1}, [vocabulary, ignore](std::span<const Array>, std::span<Array> out) {
    int64_t* p = out[0].mutable_data<int64_t>();
    for (int64_t i = 0; i < out[0].size(); ++i) {
      if (ignore && p[i] == *ignore)
        p[i] = 0;
      else if (p[i] < 0 || p[i] >= vocabulary)
        fail(p[i], i, {.size = vocabulary});
    }
  });
  return rows;
}
// Returns the rows of ids that count, and zeros for ignored ones, whatever their rows contain.
Array without_ignored(const Array& rows, const Array& ids, int64_t ignore) {
  const Array counts = chainer::expand_dims(not_equal(ids, ignore), ids.ndim());
  return chainer::where(counts, rows, zeros({}, rows.dtype(), rows.device()));
}

struct EmbedIdGrad : FunctionNode {
  EmbedIdGrad(Array i, const Shape& w, Ignore ig) : ids(std::move(i)), shape(w), ignore(ig) {}
  Arrays forward(const Arrays& gy) override {
    Array gW = zeros(shape, gy[0].dtype(), gy[0].device());
    add_to(gW, gy[0]);
    return {gW};
  }
  void add_to(Array& gW, const Array& gy) const {
    const Array g = ignore ? without_ignored(gy, ids, *ignore) : gy;
    gW.device().backend().scatter_rows(gW, checked_rows(ids, shape[0], ignore).ravel(),
                                       g.reshape({ids.size(), shape[1]}), true);
  }
  Variables backward(const Indexes&, const Variables& ggW) override { return {embed_id(ids, ggW[0], {ignore})}; }
  Array ids;
  Shape shape;
  Ignore ignore;
};

struct EmbedIdNode : FunctionNode, Described {
  explicit EmbedIdNode(Ignore ig) : ignore(ig) {}
  std::string label() const override { return "EmbedIDFunction"; }
  void describe(NodeAttributes& a) const override { a("ignore_label", ignore); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x", "W"});
    type_check::expect(in[0].dtype().kind() == 'i', in[1].dtype().kind() == 'f', in[1].ndim() == 2);
  }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    Shape s = in[0].shape();
    s.push_back(in[1].shape()[1]);
    Array y(s, in[1].dtype(), in[1].device());
    y.device().backend().take_rows(in[1], checked_rows(in[0], in[1].shape()[0], ignore).ravel(), y);
    return {ignore ? without_ignored(y, in[0], *ignore) : y};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    return backward_accumulate(wanted, gy, Variables(wanted.size()));
  }
  // A matrix that is looked up several times: the rows are added to its gradient without a temporary of its size. Ids
  // have no gradient, even if their variable requires one.
  bool accumulates() const override { return true; }
  Variables backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) override {
    Variables out;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      out.push_back(wanted[k] == 1 ? rows_gradient(gy[0], gx[k]) : Variable());
    return out;
  }
  Variable rows_gradient(const Variable& gy, const Variable& so_far) const {
    EmbedIdGrad gradient(input_data()[0], input_shape(1), ignore);
    if (so_far && !config().enable_backprop && so_far.array().is_contiguous() && is_exclusive(so_far.array())) {
      Array sum = so_far.array();
      gradient.add_to(sum, gy.array());
      return so_far;
    }
    const Variable g = apply_single(std::move(gradient), gy);
    return so_far ? so_far + g : g;
  }
  Ignore ignore;
};

}  // namespace

Variable EmbedId::operator()(const Variable& x, const Variable& W, const EmbedIdOptions& o) const {
  return apply_single(EmbedIdNode(o.ignore_label), x, W);
}

}  // namespace chainer::functions
