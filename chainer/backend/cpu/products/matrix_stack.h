// SPDX-License-Identifier: MIT
// Arrays as matrices in BLAS's terms.
#pragma once
#include <algorithm>

#include "chainer/array/array.h"

namespace chainer::cpu {

/// A matrix in BLAS's terms: row-major with leading dimension ld, optionally transposed.
struct Matrix {
  Array array;  ///< owns the memory
  bool transposed = false;
  int64_t ld = 1;
};

/// Returns the last two axes in BLAS's terms; copied if their strides allow no view.
inline Matrix as_matrix(const Array& a) {
  const int d = a.ndim();
  const int64_t rows = a.shape()[d - 2], columns = a.shape()[d - 1];
  const Strides s = a.strides();
  const int64_t s0 = s[d - 2], s1 = s[d - 1];
  if ((s1 == 1 || columns <= 1) && (rows <= 1 || s0 >= columns))
    return {a, false, std::max<int64_t>({1, columns, rows > 1 ? s0 : 0})};
  if ((s0 == 1 || rows <= 1) && (columns <= 1 || s1 >= rows))
    return {a, true, std::max<int64_t>({1, rows, columns > 1 ? s1 : 0})};
  return {a.contiguous(), false, std::max<int64_t>(1, columns)};
}

/// The products of the matrices in the last two axes of x and y, for zero to two leading axes.
struct MatrixStack {
  /// Returns true if a product can be written to `out` in place: it has no gaps, or gaps between rows only.
  static bool holds(const Array& out) { return rows_apart(out) || out.is_contiguous(); }

  /// `out` must not be empty.
  MatrixStack(const Array& a, const Array& b, const Array& out)
      : x(as_matrix(a)),
        y(as_matrix(b)),
        m(out.shape()[out.ndim() - 2]),
        n(out.shape()[out.ndim() - 1]),
        k(a.shape()[a.ndim() - 1]),
        batch(out.ndim() == 2 ? 1 : out.size() / (m * n)),
        gaps(rows_apart(out)),
        ldc(gaps ? out.strides()[0] : n),
        inner_(out.ndim() == 4 ? out.shape()[1] : batch) {}

  Matrix x, y;
  int64_t m, n, k, batch;
  bool gaps;  ///< between the rows of the result
  int64_t ldc;

  /// Return the position of matrix i, in elements.
  int64_t x_offset(int64_t i) const { return offset(x, i); }
  int64_t y_offset(int64_t i) const { return offset(y, i); }

 private:
  static bool rows_apart(const Array& out) {
    return out.ndim() == 2 && out.strides()[1] == 1 && out.strides()[0] > out.shape()[1];
  }
  // Matrix i is (i / inner, i % inner).
  int64_t offset(const Matrix& z, int64_t i) const {
    const Strides& s = z.array.strides();
    const int d = z.array.ndim();
    return d == 2 ? 0 : d == 3 ? i * s[0] : i / inner_ * s[0] + i % inner_ * s[1];
  }
  int64_t inner_;
};

}  // namespace chainer::cpu
