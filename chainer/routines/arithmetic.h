// SPDX-License-Identifier: MIT
// Elementwise operations on arrays with NumPy's names, broadcasting and type promotion.
#pragma once
#include "chainer/array/array.h"
#include "chainer/array/operations/ops.h"
#include "chainer/routines/operators.h"

namespace chainer {

/// Apply an operation of the lists elementwise. The results have the broadcast shape and the promoted dtype; integers
/// are converted to float64 for operations that are defined for floating types only. Throw DimensionError if the shapes
/// cannot be broadcast, DeviceError for operands on two devices, TypeError for subtract or negative on bool, ValueError
/// for integers raised to negative integers.
Array unary(Elementwise op, const Array& x);
Array binary(Elementwise op, const Array& a, const Array& b);
/// A number is converted to the array's dtype, unless its kind is wider: int array + 0.5 is float64.
Array binary(Elementwise op, const Array& a, Scalar b);
Array binary(Elementwise op, Scalar a, const Array& b);
Array ternary(Elementwise op, const Array& a, const Array& b, const Array& c);

/// Returns condition ? a : b, elementwise with broadcasting, in the promoted dtype of a and b.
Array where(const Array& condition, const Array& a, const Array& b);
/// Returns min(max(x, lo), hi).
Array clip(const Array& x, Scalar lo, Scalar hi);
/// Returns 1 where lo < x < hi, else 0, in the dtype of a floating x.
Array between(const Array& x, Scalar lo, Scalar hi);

/// Functions of one array: exp(x), sqrt(x), isnan(x) and all others of the lists in array/operations/elementwise_ops.h.
/// Tests return boolean arrays. See unary() for dtypes.
///
/// each of CHAINER_UNARY_OPS, CHAINER_TEST_OPS: Array NAME(const Array& x);

/// Functions of two arrays, or of an array and a number: maximum(a, b), power(a, 2). Comparisons return boolean arrays.
/// The operators are equivalent: + - * / % (add, subtract, multiply, divide, remainder), == != < <= > >= (equal,
/// not_equal, less, less_equal, greater, greater_equal), & | ^ (logical_and, logical_or, logical_xor). See binary() for
/// dtypes and exceptions.
///
/// each of CHAINER_BINARY_OPS, CHAINER_COMPARE_OPS: Array NAME(const Array& a, const Array& b);

/// Returns `value` as a 0-d array, in the compute dtype of an operation between `value` and `like`.
Array scalar_array(Scalar value, const Array& like);

// exp(x), maximum(a, b), less(a, b), ...: all names of the lists.
#define X(NAME, ...) \
  inline Array NAME(const Array& x) { return unary(Elementwise::NAME, x); }
CHAINER_UNARY_OPS(X)
#undef X
#define X(NAME, ...) \
  inline Mask NAME(const Array& x) { return Mask(unary(Elementwise::NAME, x)); }
CHAINER_TEST_OPS(X)
#undef X
#define X(NAME, ...)                                                                            \
  inline Array NAME(const Array& a, const Array& b) { return binary(Elementwise::NAME, a, b); } \
  inline Array NAME(const Array& a, Scalar b) { return binary(Elementwise::NAME, a, b); }       \
  inline Array NAME(Scalar a, const Array& b) { return binary(Elementwise::NAME, a, b); }
CHAINER_BINARY_OPS(X)
#undef X
#define X(NAME, ...)                                                                                 \
  inline Mask NAME(const Array& a, const Array& b) { return Mask(binary(Elementwise::NAME, a, b)); } \
  inline Mask NAME(const Array& a, Scalar b) { return Mask(binary(Elementwise::NAME, a, b)); }       \
  inline Mask NAME(Scalar a, const Array& b) { return Mask(binary(Elementwise::NAME, a, b)); }
CHAINER_COMPARE_OPS(X)
#undef X

inline Array abs(const Array& x) { return absolute(x); }

}  // namespace chainer
