// SPDX-License-Identifier: MIT
// Inverses, determinants and singular values of matrices of double.
#pragma once
#include "chainer/backend/cuda/kernels/indices.h"

namespace chainer::cuda {

/// A stack of `count` row-major matrices (n, n), which are overwritten; a block for each. `invert_matrices` writes the
/// inverses (Gauss-Jordan with exchanges of rows), with the first singular matrix in `wrong`, which holds kNone before;
/// `determinants` eliminates below the diagonal only. Dynamic shared memory: kBytes for each row. `diagonal_products`
/// writes determinants, one by a thread, from matrices that a library has decomposed and its list of `exchanged` rows
/// (count, n), from 1 on.
struct MatricesArgs {
  static constexpr int64_t kBytes = 12, kMostRows = 4080;
  double *matrices, *out;
  const int32_t* exchanged;
  WrongIndex* wrong;
  int64_t count, n;
  template <class F>
  void pointers(F&& f) {
    f(matrices), f(out), f(exchanged), f(wrong);
  }
};
static_assert(MatricesArgs::kMostRows * MatricesArgs::kBytes + 16 <= 48 << 10);  // with a pivot in static memory

/// Singular values of `count` matrices by one-sided Jacobi rotations (Hestenes), a block of whole warps for each.
/// `rows` holds k rows of `length` >= k elements, which are rotated until they are orthogonal, and `rotation` (k, k)
/// receives the product of the rotations. Of the results, `value` is (k) in descending order; element e of the j-th
/// vector of `rows` is written to long_side[j * long_vector + e * long_element], that of `rotation` to short_side.
/// `norms` (count, k) and `rows` are overwritten.
struct SvdArgs {
  static constexpr int kMostSweeps = 60;
  double *rows, *rotation, *norms, *value, *long_side, *short_side;
  int64_t count, k, length, long_vector, long_element, short_vector, short_element;
  template <class F>
  void pointers(F&& f) {
    f(rows), f(rotation), f(norms), f(value), f(long_side), f(short_side);
  }
};

/// `check_solved` reports the first of `count` pairs of numbers whose first is positive (SolverCall::info) to
/// `wrong`.
struct SolverInfoArgs {
  const int32_t* info;
  WrongIndex* wrong;
  int64_t count;
  template <class F>
  void pointers(F&& f) {
    f(info), f(wrong);
  }
};

}  // namespace chainer::cuda
