// Matrix products and decompositions.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// NumPy's matmul: stacks of matrices broadcast, one-axis operands are vectors.
Array matmul(const Array& a, const Array& b);
/// NumPy's dot: the sum over a's last and b's last but one axis; the product where one of them has no axes.
Array dot(const Array& a, const Array& b);
/// out = alpha a b + beta out for matrices, without a temporary.
void matmul_into(const Array& a, const Array& b, Array& out, double alpha = 1, double beta = 0);

/// Inverses of square matrices, stacked along all axes but the last two. A singular one is a ValueError that names it.
Array inv(const Array& a);
/// Their determinants, without the last two axes.
Array det(const Array& a);

struct Svd {
  Array u, s, vt;
};
/// The thin singular value decomposition of a matrix in float64: a = u diag(s) vt, s descending. LAPACK's dgesdd
/// where there is one, else one-sided Jacobi rotations.
Svd svd(const Array& a);

}  // namespace chainer
