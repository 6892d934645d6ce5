// SPDX-License-Identifier: MIT
#include "chainer/functions/activation/lstm_node.h"

#include "chainer/array/backend.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/array.h"

namespace chainer::functions {
namespace {

Arrays dense_all(const Arrays& in, std::size_t begin, std::size_t count, Dtype dtype) {
  Arrays out;
  for (std::size_t i = begin; i < begin + count; ++i) out.push_back(dense(in[i], dtype));
  return out;
}
std::span<const Array> view(const Arrays& a) { return {a.begin(), a.size()}; }

// Fills the rows of `to` after the first `rows` from `from`, or with zeros if `from` is empty.
void copy_rest(const Array& from, Array& to, int64_t rows) {
  if (rows == to.shape()[0]) return;
  Array rest = to[Slice(rows, std::nullopt)];
  if (from)
    copy_elements(from[Slice(rows, std::nullopt)], rest);
  else
    rest.fill(0);
}

}  // namespace

Arrays LstmNode::forward(const Arrays& in) {
  const auto cells = static_cast<std::size_t>(sources_ * children_);
  Indexes all;
  for (std::size_t i = 0; i < in.size(); ++i) all.push_back(static_cast<int>(i));
  retain_inputs(all);
  retain_outputs({0});  // backward reads the cells
  const Dtype dtype = in[0].dtype(), compute = compute_dtype(dtype);
  const Arrays before = dense_all(in, 0, cells, compute), x = dense_all(in, cells, in.size() - cells, compute);
  Shape shape = in[0].shape();
  shape[0] = x[0].shape()[0];
  c_ = Array(in[0].shape(), compute, in[0].device());
  Array h(shape, compute, in[0].device());
  if (h.size()) h.device().backend().lstm(layout(shape), view(x), view(before), c_, h);
  copy_rest(before[0], c_, shape[0]);
  return {c_.astype(dtype, false), h.astype(dtype, false)};
}

Variables LstmNode::backward(const Indexes& wanted, const Variables& gy) {
  const Variables in = retained_inputs();
  if (config().enable_backprop)
    return partial_gradients([&](const Variables& x) { return composed(x); }, in, wanted, gy);
  (void)output_data();  // throws if the cells, whose memory c_ may share, were written to
  const auto cells = static_cast<std::size_t>(sources_ * children_);
  Arrays arrays;
  for (const Variable& v : in) arrays.push_back(v.array());
  const Dtype dtype = arrays[0].dtype(), compute = c_.dtype();
  const Arrays before = dense_all(arrays, 0, cells, compute), x = dense_all(arrays, cells, in.size() - cells, compute);
  const Array gc = gy[0] ? dense(gy[0].array(), compute) : Array(),
              gh = gy[1] ? dense(gy[1].array(), compute) : Array();
  Arrays g(in.size());
  for (int i : wanted)
    g[static_cast<std::size_t>(i)] = Array(in[static_cast<std::size_t>(i)].shape(), compute, c_.device());
  for (std::size_t i = cells; i < in.size(); ++i)
    if (!g[i]) g[i] = Array(in[i].shape(), compute, c_.device());
  Shape shape = c_.shape();
  shape[0] = x[0].shape()[0];
  if (shape.product())
    c_.device().backend().lstm_grad(layout(shape), view(x), view(before), c_, gc, gh,
                                    {g.begin() + cells, g.size() - cells}, {g.begin(), cells});
  for (std::size_t i = 0; i < cells; ++i)
    if (g[i]) copy_rest(gc, g[i], shape[0]);
  Variables out;
  for (int i : wanted) out.push_back(Variable(g[static_cast<std::size_t>(i)].astype(dtype, false), false));
  return out;
}

LstmCells interleaved_gates(const Shape& cells) {
  const int64_t behind = Shape(cells.begin() + 2, cells.end()).product();
  LstmCells l{.rows = cells[0], .units = cells[1], .gate_stride = 1, .unit_stride = 4, .a = 0, .i = 1, .o = 3, .f = 2};
  if (behind != 1) l.rows = cells[0] * cells[1], l.units = behind, l.gate_stride = behind, l.unit_stride = 1;
  return l;
}

Variables separate_gates(const Variable& x, int64_t k) {
  Shape s = x.shape();
  s[1] /= k;
  s.insert(2, k);
  return separate(reshape(x, s), 2);
}

void check_cell(const type_check::TypeInfos& in, int64_t c, int64_t x, int64_t gate_count) {
  using type_check::expect;
  expect(in[c].dtype().kind() == 'f', in[x].dtype() == in[c].dtype(), in[c].ndim() >= 2, in[c].ndim() == in[x].ndim());
  expect(in[x].shape(1) == in[c].shape(1) * gate_count, in[x].shape().slice(2) == in[c].shape().slice(2));
}

}  // namespace chainer::functions
