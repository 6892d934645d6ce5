// What composed forms are made of: single steps by a backend's entries, whose results are new arrays.
#pragma once
#include <initializer_list>

#include "chainer/array/backend.h"

namespace chainer::composed {

/// A view of `a` with this shape, repeated along axes that it lacks or that have length one there.
Array spread(const Array& a, const Dims& shape);
/// A view of `a` with these lengths and strides (in elements), from element `offset` on.
Array window(const Array& a, const Dims& shape, const Strides& strides, int64_t offset);
/// op(operands...), whose shapes are broadcast; computed in, and of, dtype `type` (comparisons: bool).
Array computed(Elementwise op, std::initializer_list<Array> operands, Dtype type);
/// The same into memory that is there, which may be that of an operand.
void compute_into(Elementwise op, std::initializer_list<Array> operands, Array& out, Dtype type);
/// Reduced over `axes`, which keep length one.
Array reduced(Reduce op, const Array& a, const Dims& axes);
/// A 0-d array of the device and dtype of `like`.
Array number(double value, const Array& like);
/// A new array of one value on the device of `like`.
Array filled(const Dims& shape, Dtype dtype, Scalar value, const Array& like);

/// Elements of any dtype into a view.
inline void store(const Array& value, Array to) { copy_elements(value, to); }
inline Array add(const Array& a, const Array& b) { return computed(Elementwise::add, {a, b}, a.dtype()); }
inline Array subtract(const Array& a, const Array& b) { return computed(Elementwise::subtract, {a, b}, a.dtype()); }
inline Array multiply(const Array& a, const Array& b) { return computed(Elementwise::multiply, {a, b}, a.dtype()); }
inline Array unary(Elementwise op, const Array& a) { return computed(op, {a}, a.dtype()); }

}  // namespace chainer::composed
