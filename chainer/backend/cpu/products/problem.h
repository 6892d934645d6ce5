// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace chainer::cpu {

/// A matrix product: c = alpha a b + beta c, with m x k and k x n matrices. Rows of a matrix have distance lda, ldb or
/// ldc; a transposed matrix (ta, tb) is stored with its columns in this place.
template <class T>
struct Problem {
  int64_t m, n, k;
  const T* a;
  int64_t lda;
  bool ta;
  const T* b;
  int64_t ldb;
  bool tb;
  T* c;
  int64_t ldc;
  T alpha, beta;
};

}  // namespace chainer::cpu
