// SPDX-License-Identifier: MIT
// Matrix products and decompositions.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// NumPy's matmul: stacks of matrices are broadcast, operands of one axis are vectors. Throws DimensionError if the
/// shapes do not fit, ValueError for a 0-d operand.
Array matmul(const Array& a, const Array& b);
/// NumPy's dot: the sum over the last axis of a and the last but one of b; the product if one of them is 0-d.
Array dot(const Array& a, const Array& b);
/// out = alpha a b + beta out, for matrices or stacks of matrices (3 axes), without a temporary array. Throws
/// DimensionError if the shapes do not fit, DtypeError if the dtypes differ.
void matmul_into(const Array& a, const Array& b, Array& out, double alpha = 1, double beta = 0);

/// Returns the inverses of square matrices (..., n, n), computed in float64. Throws ValueError naming a singular
/// matrix, DimensionError for other shapes.
Array inv(const Array& a);
/// Returns the determinants (...) of square matrices (..., n, n), computed in float64. Throws DimensionError for other
/// shapes.
Array det(const Array& a);

struct Svd {
  Array u, s, vt;
};
/// Returns the thin singular value decomposition of a matrix in float64: a = u diag(s) vt, with s in descending order.
/// Uses LAPACK's dgesdd if available, else one-sided Jacobi rotations. Throws DimensionError for an array that is not a
/// matrix or has no elements.
Svd svd(const Array& a);

}  // namespace chainer
