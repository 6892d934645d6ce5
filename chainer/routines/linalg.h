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

/// out = a b + bias for matrices and a row `bias`, without a temporary array. Throws DimensionError if the shapes do
/// not fit, DtypeError if the dtypes differ.
void matmul_bias_into(const Array& a, const Array& b, const Array& bias, Array& out);

/// Returns the inverses of square matrices (..., n, n), computed in float64. Throws ValueError naming a singular
/// matrix, DimensionError for other shapes.
Array inv(const Array& a);
/// Returns the determinants (...) of square matrices (..., n, n), computed in float64. Throws DimensionError for other
/// shapes.
Array det(const Array& a);

struct Svd {
  Array u, s, vt;
};
/// Returns the thin singular value decompositions of matrices (..., m, n) in float64: a = u diag(s) vt, with u (..., m,
/// k), s (..., k) in descending order, vt (..., k, n) and k = min(m, n). Uses LAPACK's dgesdd if available, on CUDA
/// devices cuSOLVER for large matrices, else one-sided Jacobi rotations, for which vectors that belong to a singular
/// value of zero may be zero. Throws DimensionError for an array of less than two axes or without elements.
Svd svd(const Array& a);

}  // namespace chainer
