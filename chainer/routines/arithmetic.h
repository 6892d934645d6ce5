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
/// A 0-d array with the dtype that an operation between `value` and `like` computes in.
Array scalar_array(Scalar value, const Array& like);

// exp(x), maximum(a, b), less(a, b), ...: every name of the lists.
#define X(NAME, ...) \
  inline Array NAME(const Array& x) { return unary(Elementwise::NAME, x); }
CHAINER_UNARY_OPS(X)
CHAINER_TEST_OPS(X)
#undef X
#define X(NAME, ...)                                                                            \
  inline Array NAME(const Array& a, const Array& b) { return binary(Elementwise::NAME, a, b); } \
  inline Array NAME(const Array& a, Scalar b) { return binary(Elementwise::NAME, a, b); }       \
  inline Array NAME(Scalar a, const Array& b) { return binary(Elementwise::NAME, a, b); }
CHAINER_BINARY_OPS(X)
CHAINER_COMPARE_OPS(X)
#undef X

inline Array operator-(const Array& x) { return negative(x); }
inline Array abs(const Array& x) { return absolute(x); }
#define X(SYMBOL, NAME)                                                               \
  inline Array operator SYMBOL(const Array& a, const Array& b) { return NAME(a, b); } \
  inline Array operator SYMBOL(const Array& a, Scalar b) { return NAME(a, b); }       \
  inline Array operator SYMBOL(Scalar a, const Array& b) { return NAME(a, b); }
X(+, add)
X(-, subtract)
X(*, multiply)
X(/, divide)
X(%, remainder)
X(==, equal)
X(!=, not_equal)
X(<, less)
X(<=, less_equal)
X(>, greater)
X(>=, greater_equal)
X(&, logical_and)
X(|, logical_or)
X(^, logical_xor)
#undef X

}  // namespace chainer
