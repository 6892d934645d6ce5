// SPDX-License-Identifier: MIT
#include "chainer/array/operations/ops.h"
#include "chainer/backend/common/composed/steps.h"

namespace chainer::composed {

Array window(const Array& a, const Dims& shape, const Strides& strides, int64_t offset) {
  return Array(ArrayBody::view(a.body_ref(), shape, strides, offset));
}

Array spread(const Array& a, const Dims& shape) {
  if (a.shape() == shape) return a;
  Strides strides = Dims::filled(shape.ndim(), 0);
  const Strides own = a.strides();
  for (int d = 0; d < a.ndim(); ++d)
    if (a.shape()[d] != 1) strides[shape.ndim() - a.ndim() + d] = own[d];
  return window(a, shape, strides, 0);
}

void compute_into(Elementwise op, std::initializer_list<Array> operands, Array& out, Dtype type) {
  SmallVector<Array, 3> in;
  SmallVector<const Array*, 3> pointers;
  for (const Array& a : operands) in.push_back(spread(a, out.shape()));
  for (const Array& a : in) pointers.push_back(&a);
  if (out.size()) out.device().backend().elementwise(op, {pointers.data(), pointers.size()}, out, compute_dtype(type));
}

Array computed(Elementwise op, std::initializer_list<Array> operands, Dtype type) {
  Shape shape;
  for (const Array& a : operands) shape = broadcast_shapes(shape, a.shape(), name(op));
  Array out(shape, category(op) == Category::compare ? Dtype::bool_ : type, operands.begin()->device());
  compute_into(op, operands, out, type);
  return out;
}

Array reduced(Reduce op, const Array& a, const Dims& axes) {
  Shape shape = a.shape();
  for (int64_t d : axes) shape[d] = 1;
  Array out(shape, a.dtype(), a.device());
  a.device().backend().reduce(op, a, axes, out);
  return out;
}

Array filled(const Dims& shape, Dtype dtype, Scalar value, const Array& like) {
  Array out(shape, dtype, like.device());
  out.fill(value);
  return out;
}

Array number(double value, const Array& like) { return constant(value, like.dtype(), like.device()); }

}  // namespace chainer::composed
