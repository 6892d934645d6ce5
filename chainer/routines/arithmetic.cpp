// SPDX-License-Identifier: MIT
#include "chainer/routines/arithmetic.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/order.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/backend/common/special.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer {
namespace {

Dtype result_type(Elementwise op, Dtype common) {
  if (category(op) == Category::compare) return Dtype::bool_;
  if (category(op) == Category::special) special::expect_available(name(op));
  if (category(op) != Category::any && !is_floating(common)) return float64;
  return common;
}

// Returns the form of an operation for booleans, as in NumPy.
Elementwise boolean_form(Elementwise op) {
  if (op == Elementwise::add) return Elementwise::logical_or;
  if (op == Elementwise::multiply) return Elementwise::logical_and;
  if (op == Elementwise::subtract || op == Elementwise::negative)
    throw TypeError(name(op), ": not defined for bool; use logical_xor or logical_not");
  return op;
}

// Handles operands of any shapes and layouts.
Array compute_general(Elementwise op, std::span<const Array* const> operands, Dtype type, Dtype work) {
  Arrays in;
  Shape shape = operands[0]->shape();
  for (const Array* a : operands) {
    if (a->shape() != shape) shape = broadcast_shapes(shape, a->shape(), name(op));
    in.push_back(*a);
  }
  checked_size(shape, item_size(type), name(op));
  const Array* pointers[3];
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i].shape() != shape) in[i] = broadcast_to(in[i], shape);
    pointers[i] = &in[i];
  }
  const std::span<const Array* const> wide(pointers, in.size());
  const Dims order = result_order(wide);
  if (!deferred::is_small(shape.product(), in[0].device()))
    for (Array& a : in) a = aligned(a, order);
  if (Array later = deferred::elementwise(op, wide, order, type, work)) return later;
  Array out = empty_in_order(shape, type, in[0].device(), order, name(op).data());
  out.device().backend().elementwise(op, wide, out, work);
  return out;
}

// Returns true if the operands are small, contiguous and of one shape, so that no plan is needed.
inline bool are_small_and_alike(std::span<const Array* const> in) {
  const ArrayBody& first = in[0]->body();
  bool alike = deferred::is_small(first.size, first.device) && first.contiguous;
  for (std::size_t i = 1; i < in.size(); ++i) {
    const ArrayBody& b = in[i]->body();
    alike = alike && b.contiguous && b.device == first.device && b.shape == first.shape;
  }
  return alike;
}

Array compute(Elementwise op, std::span<const Array* const> in, Dtype common) {
  // The common case of define-by-run with small arrays.
  const bool keeps_dtype = category(op) == Category::any || category(op) == Category::floating;
  if (keeps_dtype && is_floating(common) && are_small_and_alike(in)) {
    const Array& first = *in[0];
    Array out(first.shape(), common, first.device(), name(op).data());
    out.device().backend().elementwise(op, in, out, common);
    return out;
  }
  if (common == Dtype::bool_) op = boolean_form(op);
  if (on_several_devices(in)) [[unlikely]] {
    const Arrays moved = on_one_device(name(op), in);
    const Array* pointers[3];
    for (std::size_t i = 0; i < moved.size(); ++i) pointers[i] = &moved[i];
    return compute(op, {pointers, moved.size()}, common);
  }
  const Dtype type = result_type(op, common), work = category(op) == Category::compare ? common : type;
  if (!are_small_and_alike(in)) return compute_general(op, in, type, work);
  const Array& first = *in[0];
  Array out(first.shape(), type, first.device(), name(op).data());
  out.device().backend().elementwise(op, in, out, work);
  return out;
}
Array compute(Elementwise op, std::initializer_list<const Array*> in, Dtype common) {
  return compute(op, std::span<const Array* const>(in.begin(), in.size()), common);
}

}  // namespace

Array unary(Elementwise op, const Array& x) { return compute(op, {&x}, x.dtype()); }

Array binary(Elementwise op, const Array& a, const Array& b) {
  const Dtype common = a.dtype() == b.dtype() ? a.dtype() : promote(a.dtype(), b.dtype());
  if (op == Elementwise::power && kind(common) == 'i' && any(less(b, 0)).item<bool>())
    throw ValueError("power: integers cannot be raised to negative integers; make one of the arrays floating");
  return compute(op, {&a, &b}, common);
}

Array scalar_array(Scalar value, const Array& like) {
  return constant(value, value.promoted_with(like.dtype()), like.device());
}

Array binary(Elementwise op, const Array& a, Scalar b) {
  if (op == Elementwise::power) {  // powers with operations of their own
    if (b == Scalar(2) || b == Scalar(2.0))
      return square(b.kind() == 'f' && !is_floating(a.dtype()) ? a.astype(float64) : a);
    if (b == Scalar(0.5)) return sqrt(a);
    if (b == Scalar(-1.0) || (b == Scalar(-1) && is_floating(a.dtype()))) return reciprocal(a);
  }
  return binary(op, a, scalar_array(b, a));
}
Array binary(Elementwise op, Scalar a, const Array& b) { return binary(op, scalar_array(a, b), b); }

Array ternary(Elementwise op, const Array& a, const Array& b, const Array& c) {
  return compute(op, {&a, &b, &c}, promote(promote(a.dtype(), b.dtype()), c.dtype()));
}

Array where(const Array& condition, const Array& a, const Array& b) {
  return compute(Elementwise::where, {&condition, &a, &b}, promote(a.dtype(), b.dtype()));
}

Array clip(const Array& x, Scalar lo, Scalar hi) {
  return ternary(Elementwise::clip, x, scalar_array(lo, x), scalar_array(hi, x));
}

Array between(const Array& x, Scalar lo, Scalar hi) {
  return ternary(Elementwise::between, x, scalar_array(lo, x), scalar_array(hi, x));
}

Array operator-(const Array& x) { return negative(x); }
#define X(RESULT, SYMBOL, NAME)                                                 \
  RESULT operator SYMBOL(const Array& a, const Array& b) { return NAME(a, b); } \
  RESULT operator SYMBOL(const Array& a, Scalar b) { return NAME(a, b); }       \
  RESULT operator SYMBOL(Scalar a, const Array& b) { return NAME(a, b); }
CHAINER_ARRAY_OPERATORS(X)
#undef X

}  // namespace chainer
