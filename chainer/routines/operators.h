// SPDX-License-Identifier: MIT
// The operators of arrays, with broadcasting and type promotion. The named functions are in arithmetic.h, so that
// headers that use operators do not depend on the lists of operations.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

// The type of the result, the operator, and the equivalent function of arithmetic.h.
#define CHAINER_ARRAY_OPERATORS(X) \
  X(Array, +, add)                 \
  X(Array, -, subtract)            \
  X(Array, *, multiply)            \
  X(Array, /, divide)              \
  X(Array, %, remainder)           \
  X(Mask, ==, equal)               \
  X(Mask, !=, not_equal)           \
  X(Mask, <, less)                 \
  X(Mask, <=, less_equal)          \
  X(Mask, >, greater)              \
  X(Mask, >=, greater_equal)       \
  X(Mask, &, logical_and)          \
  X(Mask, |, logical_or)           \
  X(Mask, ^, logical_xor)

Array operator-(const Array& x);
#define X(RESULT, SYMBOL, NAME)                           \
  RESULT operator SYMBOL(const Array& a, const Array& b); \
  RESULT operator SYMBOL(const Array& a, Scalar b);       \
  RESULT operator SYMBOL(Scalar a, const Array& b);
CHAINER_ARRAY_OPERATORS(X)
#undef X

}  // namespace chainer
