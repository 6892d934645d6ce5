// SPDX-License-Identifier: MIT
// Inverses and determinants by LU decomposition, by LAPACK if available.
#include <algorithm>
#include <cmath>
#include <vector>

#include "chainer/backend/cpu/products/blas.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// Decomposes one matrix in place, with the exchanged rows (counted from 1, as in LAPACK). LAPACK takes row-major memory
// as the transposed matrix, whose determinant is equal and whose inverse is the transpose of the inverse.
bool decompose(double* a, int* pivots, int n) {
  int info = 0;
  if (const Blas* library = blas(); library && library->dgetrf) {
    const OneThreadBlas one_thread;
    library->dgetrf(&n, &n, a, &n, pivots, &info);
    return info == 0;
  }
  const auto at = [&](int i, int j) -> double& { return a[j * n + i]; };
  bool regular = true;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
    pivots[k] = best + 1;
    if (at(best, k) == 0) {
      regular = false;
      continue;
    }
    if (best != k)
      for (int j = 0; j < n; ++j) std::swap(at(k, j), at(best, j));
    for (int i = k + 1; i < n; ++i) {
      const double f = at(i, k) /= at(k, k);
      for (int j = k + 1; j < n; ++j) at(i, j) -= f * at(k, j);
    }
  }
  return regular;
}

// Computes the inverse from the decomposition, in place.
void invert(double* a, const int* pivots, int n) {
  if (const Blas* library = blas(); library && library->dgetri) {
    const int size = 64 * n;
    std::vector<double> work(static_cast<std::size_t>(size));
    int info = 0;
    const OneThreadBlas one_thread;
    library->dgetri(&n, a, &n, pivots, work.data(), &size, &info);
    return;
  }
  const auto at = [&](int i, int j) -> double& { return a[j * n + i]; };
  std::vector<double> inverse(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int column = 0; column < n; ++column) {  // solves L U x = P e
    double* x = inverse.data() + column * n;
    x[column] = 1;
    for (int k = 0; k < n; ++k) std::swap(x[k], x[pivots[k] - 1]);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) x[i] -= at(i, j) * x[j];
    for (int i = n - 1; i >= 0; --i) {
      for (int j = i + 1; j < n; ++j) x[i] -= at(i, j) * x[j];
      x[i] /= at(i, i);
    }
  }
  std::copy(inverse.begin(), inverse.end(), a);
}

// Calls f(matrix, n, pivots, number) for every matrix of the stack, divided among threads.
template <class F>
void for_matrices(Array& matrices, F&& f) {
  double* data = matrices.mutable_data<double>();
  const int64_t count = matrices.shape()[0], n = matrices.shape()[1];
  parallel_ranges(n ? count : 0, matrices.size() * n, 1, [&](int64_t begin, int64_t end) {
    std::vector<int> pivots(static_cast<std::size_t>(n));
    for (int64_t i = begin; i < end; ++i) f(data + i * n * n, static_cast<int>(n), pivots.data(), i);
  });
}

}  // namespace

int64_t CpuBackend::invert(Array& matrices) {
  std::vector<char> singular(static_cast<std::size_t>(matrices.shape()[0]));
  for_matrices(matrices, [&](double* a, int n, int* pivots, int64_t i) {
    if (decompose(a, pivots, n))
      chainer::cpu::invert(a, pivots, n);
    else
      singular[static_cast<std::size_t>(i)] = 1;
  });
  const auto first = std::find(singular.begin(), singular.end(), 1);
  return first == singular.end() ? -1 : first - singular.begin();
}

void CpuBackend::determinants(Array& matrices, Array& out) {
  out.fill(1);
  double* determinant = out.mutable_data<double>();
  for_matrices(matrices, [&](double* a, int n, int* pivots, int64_t i) {
    if (!decompose(a, pivots, n)) {
      determinant[i] = 0;
      return;
    }
    for (int k = 0; k < n; ++k) determinant[i] *= a[k * n + k] * (pivots[k] == k + 1 ? 1 : -1);
  });
}

}  // namespace chainer::cpu
