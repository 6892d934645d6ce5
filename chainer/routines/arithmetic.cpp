#include "chainer/routines/arithmetic.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/backend/common/deferred.h"
#include "chainer/routines/manipulation.h"

namespace chainer {
namespace {

// A new array whose axes lie in memory as those of `like` do, so that kernels run along both.
Array empty_in_order(const Array& like, Dtype dtype) {
  if (like.is_contiguous()) return Array(like.shape(), dtype, like.device());
  const Strides st = like.strides();
  Dims order;
  for (int i = 0; i < like.ndim(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return st[a] > st[b]; });
  int64_t expected = 1;
  bool dense = true;
  for (int i = like.ndim() - 1; i >= 0; --i) {
    if (like.shape()[order[i]] != 1) dense &= st[order[i]] == expected;
    expected *= like.shape()[order[i]];
  }
  if (!dense) return Array(like.shape(), dtype, like.device());
  Shape s;
  Dims inverse = order;
  for (int i = 0; i < like.ndim(); ++i) s.push_back(like.shape()[order[i]]), inverse[order[i]] = i;
  return Array(s, dtype, like.device()).transpose(inverse);
}

Dtype result_type(Elementwise op, Dtype common) {
  if (category(op) == Category::compare) return Dtype::bool_;
  if (category(op) == Category::floating && !is_floating(common)) return float64;
  return common;
}

// Arithmetic on booleans, as NumPy has it.
Elementwise boolean_form(Elementwise op) {
  if (op == Elementwise::add) return Elementwise::logical_or;
  if (op == Elementwise::multiply) return Elementwise::logical_and;
  if (op == Elementwise::subtract || op == Elementwise::negative)
    throw TypeError(name(op), ": not defined for bool; use logical_xor or logical_not");
  return op;
}

Array compute(Elementwise op, Arrays in, Dtype common) {
  if (common == Dtype::bool_) op = boolean_form(op);
  Shape shape = in[0].shape();
  for (std::size_t i = 1; i < in.size(); ++i)
    if (in[i].shape() != shape) shape = broadcast_shapes(shape, in[i].shape(), name(op));
  const Array* like = &in[0];
  for (const Array& a : in) {
    if (a.device() != in[0].device())
      throw DeviceError(name(op), ": operands on different devices, ", in[0].device(), " and ", a.device());
    if (a.shape() == shape && like->shape() != shape) like = &a;
  }
  const Dtype type = result_type(op, common);
  const Dtype work = category(op) == Category::compare ? common : type;
  if (shape.product() >= deferred::kLeast) {
    for (Array& a : in)
      if (a.shape() != shape) a = broadcast_to(a, shape);
    if (Array later = deferred::elementwise(op, {in.data(), in.size()}, shape, type, work)) return later;
  }
  Array out = like->shape() == shape ? empty_in_order(*like, type) : Array(shape, type, in[0].device());
  for (Array& a : in)
    if (a.shape() != shape) a = broadcast_to(a, shape);
  out.device().backend().elementwise(op, {in.data(), in.size()}, out, work);
  return out;
}

}  // namespace

Array unary(Elementwise op, const Array& x) { return compute(op, {x}, x.dtype()); }

Array binary(Elementwise op, const Array& a, const Array& b) {
  return compute(op, {a, b}, a.dtype() == b.dtype() ? a.dtype() : promote(a.dtype(), b.dtype()));
}

Array scalar_array(Scalar value, const Array& like) {
  const Dtype d = value.promoted_with(like.dtype());
  Array one(Shape{}, d, like.device());
  visit(d, "scalar", [&]<class T>() { *static_cast<T*>(one.mutable_raw()) = value.to<T>(); });
  return one;
}

Array binary(Elementwise op, const Array& a, Scalar b) {
  if (op == Elementwise::power) {  // the powers that have an operation of their own
    if (b == Scalar(2) || b == Scalar(2.0))
      return square(b.kind() == 'f' && !is_floating(a.dtype()) ? a.astype(float64) : a);
    if (b == Scalar(0.5)) return sqrt(a);
    if (b == Scalar(-1.0) || (b == Scalar(-1) && is_floating(a.dtype()))) return reciprocal(a);
  }
  return binary(op, a, scalar_array(b, a));
}
Array binary(Elementwise op, Scalar a, const Array& b) { return binary(op, scalar_array(a, b), b); }

Array ternary(Elementwise op, const Array& a, const Array& b, const Array& c) {
  return compute(op, {a, b, c}, promote(promote(a.dtype(), b.dtype()), c.dtype()));
}

Array where(const Array& condition, const Array& a, const Array& b) {
  return compute(Elementwise::where, {condition, a, b}, promote(a.dtype(), b.dtype()));
}

Array clip(const Array& x, Scalar lo, Scalar hi) {
  return ternary(Elementwise::clip, x, scalar_array(lo, x), scalar_array(hi, x));
}

}  // namespace chainer
