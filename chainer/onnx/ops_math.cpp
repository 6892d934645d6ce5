// SPDX-License-Identifier: MIT
// Matrix products, determinants, cumulative sums.
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

Variables matmul(const Call& c) {
  c.expect_one_dtype();
  const Variable &a = c[0], &b = c[1];
  if (!c.floating())
    return {chainer::matmul(a.array().astype(int64, false), b.array().astype(int64, false)).astype(a.dtype(), false)};
  const bool biased = c.has(2);                                        // added by fold_bias()
  if (b.ndim() == 2 && (a.ndim() > 2 || (biased && a.ndim() == 2))) {  // all rows in one product
    Shape shape = a.shape();
    const int64_t inner = shape[a.ndim() - 1];
    shape[a.ndim() - 1] = b.shape()[1];
    const int64_t rows = inner ? a.size() / inner : Dims(shape.begin(), shape.end() - 1).product();
    const Variable x = F::reshape(a, {rows, inner});
    return {F::reshape(biased ? F::linear(x, F::transpose(b), c[2]) : F::matmul(x, b), shape)};
  }
  return {biased ? F::matmul(a, b) + c[2] : F::matmul(a, b)};
}

Variables gemm(const Call& c) {
  c.expect_one_dtype();
  const double alpha = c.real("alpha", 1.0), beta = c.real("beta", 1.0);
  const bool transa = c.integer("transA", 0), transb = c.integer("transB", 0);
  if (!c.floating()) {
    const auto side = [&](std::size_t i, bool t) {
      const Array a = c.array(i).astype(float64, false);
      return t ? a.T() : a;
    };
    Array y = chainer::matmul(side(0, transa), side(1, transb)) * alpha;
    if (c.has(2)) y = y + c.array(2).astype(float64, false) * beta;
    return {y.astype(c.dtype(), false)};
  }
  const bool plain = c.has(2) && c[2].ndim() == 1 && !transa && transb && alpha == 1 && beta == 1;
  if (plain && c[2].shape()[0] == c[1].shape(0)) return {F::linear(c[0], c[1], c[2])};
  Variable y = F::matmul(c[0], c[1], {.transa = transa, .transb = transb});
  if (alpha != 1) y = y * alpha;
  if (c.has(2)) y = y + (beta == 1 ? c[2] : c[2] * beta);
  return {y};
}

Variables einsum(const Call& c) {
  c.expect_one_dtype();
  std::string subscripts = c.text("equation");
  std::erase(subscripts, ' ');
  return {F::einsum(subscripts, c.inputs())};
}

// Returns determinants of the last two axes.
Variables det(const Call& c) {
  const Variable& x = c[0];
  if (x.ndim() == 2) return {F::det(x)};
  if (x.ndim() < 2) c.fail("expected matrices, got shape ", x.shape());
  const int64_t n = x.shape(-1);
  const Shape batch(x.shape().begin(), x.shape().end() - 2);
  return {F::reshape(F::batch_det(F::reshape(x, {batch.product(), n, n})), batch)};
}

template <class Function>
Variables running(const Call& c, const Function& f, Array (*routine)(const Array&, std::optional<int64_t>)) {
  const Variable& x = c[0];
  const std::vector<int64_t> axes = c.values(1);
  if (axes.size() != 1) c.fail("expected one axis, got ", axes.size());
  const int axis = c.axis(axes[0], x.ndim());
  const bool reverse = c.integer("reverse", 0), exclusive = c.integer("exclusive", 0);
  const bool product = c.node().op_type == "CumProd";
  const int64_t n = x.shape()[axis];
  Variable y = reverse ? F::flip(x, axis) : x;
  if (exclusive && n > 0) {  // the first result is empty; the last element is not used
    Indices all_but_last(static_cast<std::size_t>(axis), Slice());
    all_but_last.push_back(Slice(0, n - 1));
    Shape one = y.shape();
    one[axis] = 1;
    y = F::concat({Variable(full(one, product ? 1 : 0, y.dtype()), false), F::get_item(y, all_but_last)}, axis);
  }
  y = c.floating() ? f(y, axis) : Variable(routine(y.array(), axis).astype(x.dtype(), false), false);
  return {reverse ? F::flip(y, axis) : y};
}
Variables cumsum(const Call& c) { return running(c, F::cumsum, chainer::cumsum); }
Variables cumprod(const Call& c) { return running(c, F::cumprod, chainer::cumprod); }

constexpr Operator kOperators[] = {
    {"CumProd", 26, cumprod}, {"CumSum", 11, cumsum},   {"Det", 11, det},
    {"Einsum", 12, einsum},   {"Gemm", 7, gemm, 2 | 4}, {"MatMul", 1, matmul, 3},
};

}  // namespace

std::span<const Operator> math_operators() { return kOperators; }

}  // namespace chainer::onnx
