// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "chainer/array/dtype.h"

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

/// The same for matrices of float16 or bfloat16 (dtype), whose result has this dtype or is float32.
struct HalfProblem {
  int64_t m, n, k;
  Dtype dtype;
  const uint16_t* a;
  int64_t lda;
  bool ta;
  const uint16_t* b;
  int64_t ldb;
  bool tb;
  Dtype c_dtype;
  void* c;
  int64_t ldc;
  float alpha, beta;
};

}  // namespace chainer::cpu
