// SPDX-License-Identifier: MIT
// Building blocks of composed operations: single steps by a backend's entries, with new arrays as results.
#pragma once
#include <initializer_list>

#include "chainer/array/backend.h"
#include "chainer/array/operations/ops.h"

namespace chainer::composed {

/// Returns a view of `a` broadcast to this shape.
Array spread(const Array& a, const Dims& shape);
/// Returns a view of `a` with these lengths and strides (in elements), starting at element `offset`.
Array window(const Array& a, const Dims& shape, const Strides& strides, int64_t offset);
/// Returns op(operands...) with broadcasting, computed and stored in dtype `type` (bool for comparisons).
Array computed(Elementwise op, std::initializer_list<Array> operands, Dtype type);
/// As computed(), but writes to existing memory, which may be that of an operand.
void compute_into(Elementwise op, std::initializer_list<Array> operands, Array& out, Dtype type);
/// Returns the reduction over `axes`, which keep length one.
Array reduced(Reduce op, const Array& a, const Dims& axes);
/// Returns a 0-d array with the device and dtype of `like`.
Array number(double value, const Array& like);
/// Returns a new array filled with one value on the device of `like`.
Array filled(const Dims& shape, Dtype dtype, Scalar value, const Array& like);

/// Copies elements of any dtype into a view.
inline void store(const Array& value, Array to) { copy_elements(value, to); }
inline Array add(const Array& a, const Array& b) { return computed(Elementwise::add, {a, b}, a.dtype()); }
inline Array subtract(const Array& a, const Array& b) { return computed(Elementwise::subtract, {a, b}, a.dtype()); }
inline Array multiply(const Array& a, const Array& b) { return computed(Elementwise::multiply, {a, b}, a.dtype()); }
inline Array unary(Elementwise op, const Array& a) { return computed(op, {a}, a.dtype()); }

}  // namespace chainer::composed
