// SPDX-License-Identifier: MIT
// cuSOLVER's functions on the host's memory, for matrices in columns.
#include "chainer/backend/cuda/cusolver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace chainer::cuda;

namespace {

int living_solvers = 0, solved = 0, failing_solver = 0;
bool without_solver = false;

// A matrix of m rows in columns at distances of `leading`.
struct Columns {
  double* data;
  int leading;
  double& operator()(int i, int j) const { return data[i + static_cast<std::ptrdiff_t>(j) * leading]; }
};

}  // namespace

extern "C" {

// What tests ask of this library.
void fake_solver(int status, int none) { failing_solver = status, without_solver = none != 0; }
int fake_solver_living() { return living_solvers; }
int fake_solved() { return solved; }

int cusolverGetVersion(int* version) { return *version = 12004, 0; }
int cusolverDnCreate(void** handle) { return *handle = &living_solvers, ++living_solvers, without_solver ? 1 : 0; }
int cusolverDnDestroy(void*) { return --living_solvers, 0; }
int cusolverDnSetStream(void*, CuHandle stream) { return stream ? 0 : 3; }

int cusolverDnDgetrf_bufferSize(void*, int m, int n, double*, int lda, int* room) { return *room = n, lda < m ? 3 : 0; }
int cusolverDnDgetrf(void*, int m, int n, double* a, int lda, double* room, int* exchanged, int* info) {
  if (failing_solver) return failing_solver;
  const Columns x{a, lda};
  *info = 0;
  for (int k = 0; k < std::min(m, n); ++k) {
    int p = k;
    for (int i = k + 1; i < m; ++i)
      if (std::abs(x(i, k)) > std::abs(x(p, k))) p = i;
    exchanged[k] = p + 1;
    if (x(p, k) == 0 && *info == 0) *info = k + 1;
    for (int j = 0; j < n; ++j) std::swap(x(k, j), x(p, j));
    for (int i = k + 1; i < m; ++i) {
      x(i, k) /= x(k, k);
      for (int j = k + 1; j < n; ++j) x(i, j) -= x(i, k) * x(k, j);
    }
  }
  std::fill(room, room + n, std::nan(""));
  return 0;
}
int cusolverDnDgetrs(void*, int transposed, int n, int columns, const double* a, int lda, const int* exchanged,
                     double* b, int ldb, int* info) {
  if (transposed) return 3;
  const Columns x{const_cast<double*>(a), lda}, y{b, ldb};
  for (int j = 0; j < columns; ++j) {
    for (int k = 0; k < n; ++k) std::swap(y(k, j), y(exchanged[k] - 1, j));
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < i; ++k) y(i, j) -= x(i, k) * y(k, j);
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) y(i, j) -= x(i, k) * y(k, j);
      y(i, j) /= x(i, i);
    }
  }
  ++solved;
  return *info = 0, 0;
}

int cusolverDnDgesvd_bufferSize(void*, int m, int n, int* room) { return *room = m * n, m < n ? 3 : 0; }
// By rotations of columns, for singular values that differ from zero; in their order.
int cusolverDnDgesvd(void*, signed char of_u, signed char of_vt, int m, int n, double* a, int lda, double* s, double* u,
                     int ldu, double* vt, int ldvt, double* room, int room_size, double* real_room, int* info) {
  if (failing_solver) return failing_solver;
  if (of_u != 'S' || of_vt != 'S' || m < n || room_size < m * n || real_room) return 3;
  const Columns x{a, lda}, left{u, ldu}, right{vt, ldvt};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) right(i, j) = i == j;
  const auto dot = [&](int p, int q) {
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += x(i, p) * x(i, q);
    return sum;
  };
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const double angle = 0.5 * std::atan2(2 * dot(p, q), dot(q, q) - dot(p, p)), c = std::cos(angle),
                     d = std::sin(angle);
        const auto rotate = [&](double& v, double& w) {
          const double before = v;
          v = c * before - d * w, w = d * before + c * w;
        };
        for (int i = 0; i < m; ++i) rotate(x(i, p), x(i, q));
        for (int i = 0; i < n; ++i) rotate(right(p, i), right(q, i));
      }
  for (int j = 0; j < n; ++j) {
    int best = j;
    for (int k = j + 1; k < n; ++k)
      if (dot(k, k) > dot(best, best)) best = k;
    for (int i = 0; i < m; ++i) std::swap(x(i, j), x(i, best));
    for (int i = 0; i < n; ++i) std::swap(right(j, i), right(best, i));
    s[j] = std::sqrt(dot(j, j));
    for (int i = 0; i < m; ++i) left(i, j) = x(i, j) / s[j];
  }
  std::fill(room, room + room_size, std::nan(""));
  ++solved;
  return *info = 0, 0;
}

}  // extern "C"
