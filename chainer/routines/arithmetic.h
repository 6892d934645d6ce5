// Elementwise operations on arrays, under NumPy's names, with broadcasting and promotion.
#pragma once
#include "chainer/array/array.h"
#include "chainer/array/operations/ops.h"

namespace chainer {

/// Applies one operation of the list. Integers become float64 where it is defined on floating numbers only.
Array unary(Elementwise op, const Array& x);
Array binary(Elementwise op, const Array& a, const Array& b);
/// A number takes the array's dtype, unless its kind is wider: int array + 0.5 is float64.
Array binary(Elementwise op, const Array& a, Scalar b);
Array binary(Elementwise op, Scalar a, const Array& b);
Array ternary(Elementwise op, const Array& a, const Array& b, const Array& c);

/// condition ? a : b, elementwise with broadcasting.
Array where(const Array& condition, const Array& a, const Array& b);
/// min(max(x, lo), hi)
Array clip(const Array& x, Scalar lo, Scalar hi);
/// 1 where lo < x < hi, else 0, in the dtype of a floating x.
Array between(const Array& x, Scalar lo, Scalar hi);

/// Of one array: exp(x), sqrt(x), isnan(x) and the others of the lists in array/operations/elementwise_ops.h.
/// Tests give truth values.
///
/// each of CHAINER_UNARY_OPS, CHAINER_TEST_OPS: Array NAME(const Array& x);

/// Of two arrays, or an array and a number: maximum(a, b), power(a, 2). Comparisons give truth values. The operators
/// are these functions under another name: + - * / % (add, subtract, multiply, divide, remainder), == != < <= > >=
/// (equal, not_equal, less, less_equal, greater, greater_equal), & | ^ (logical_and, logical_or, logical_xor).
///
/// each of CHAINER_BINARY_OPS, CHAINER_COMPARE_OPS: Array NAME(const Array& a, const Array& b);

/// A 0-d array with the dtype that an operation between `value` and `like` computes in.
Array scalar_array(Scalar value, const Array& like);

// exp(x), maximum(a, b), less(a, b), ...: every name of the lists.
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

inline Array operator-(const Array& x) { return negative(x); }
inline Array abs(const Array& x) { return absolute(x); }
#define X(RESULT, SYMBOL, NAME)                                                        \
  inline RESULT operator SYMBOL(const Array& a, const Array& b) { return NAME(a, b); } \
  inline RESULT operator SYMBOL(const Array& a, Scalar b) { return NAME(a, b); }       \
  inline RESULT operator SYMBOL(Scalar a, const Array& b) { return NAME(a, b); }
X(Array, +, add)
X(Array, -, subtract)
X(Array, *, multiply)
X(Array, /, divide)
X(Array, %, remainder)
X(Mask, ==, equal)
X(Mask, !=, not_equal)
X(Mask, <, less)
X(Mask, <=, less_equal)
X(Mask, >, greater)
X(Mask, >=, greater_equal)
X(Mask, &, logical_and)
X(Mask, |, logical_or)
X(Mask, ^, logical_xor)
#undef X

}  // namespace chainer
