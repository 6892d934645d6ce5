// SPDX-License-Identifier: MIT
// Singular values, by LAPACK if available, else by rotations.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "chainer/backend/cpu/products/blas.h"
#include "chainer/backend/cpu/cpu_backend.h"

namespace chainer::cpu {
namespace {

// One-sided Jacobi (Hestenes): rotates pairs of columns of g (m x n, m >= n, column-major) until all are orthogonal.
void jacobi(const Array& a, Array& u, Array& singular, Array& vt) {
  const int64_t m = a.shape()[0], n = a.shape()[1];
  std::vector<double> g = a.T().to_vector<double>(), v(static_cast<std::size_t>(n * n));
  for (int64_t i = 0; i < n; ++i) v[static_cast<std::size_t>(i * n + i)] = 1;
  const auto column = [](std::vector<double>& x, int64_t rows, int64_t j) { return x.data() + j * rows; };
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        double *gp = column(g, m, p), *gq = column(g, m, q);
        const double alpha = std::inner_product(gp, gp + m, gp, 0.0), beta = std::inner_product(gq, gq + m, gq, 0.0);
        const double gamma = std::inner_product(gp, gp + m, gq, 0.0);
        if (std::abs(gamma) <= 1e-15 * std::sqrt(alpha * beta)) continue;
        rotated = true;
        const double zeta = (beta - alpha) / (2 * gamma);
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        const auto rotate = [&](double* x, double* y, int64_t rows) {
          for (int64_t i = 0; i < rows; ++i) {
            const double xi = x[i], yi = y[i];
            x[i] = c * xi - s * yi;
            y[i] = s * xi + c * yi;
          }
        };
        rotate(gp, gq, m);
        rotate(column(v, n, p), column(v, n, q), n);
      }
    }
    if (!rotated) break;
  }
  std::vector<double> s(static_cast<std::size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    double* c = column(g, m, j);
    s[static_cast<std::size_t>(j)] = std::sqrt(std::inner_product(c, c + m, c, 0.0));
  }
  std::vector<int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t x, int64_t y) { return s[static_cast<std::size_t>(x)] > s[static_cast<std::size_t>(y)]; });
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<std::size_t>(j)];
    const double value = s[static_cast<std::size_t>(from)];
    singular.mutable_data<double>()[j] = value;
    for (int64_t i = 0; i < m; ++i) u.mutable_data<double>()[i * n + j] = value > 0 ? column(g, m, from)[i] / value : 0;
    std::copy_n(column(v, n, from), n, vt.mutable_data<double>() + j * n);
  }
}

void svd_of_matrix(const Array& a, Array& u, Array& s, Array& vt) {
  const int64_t m = a.shape()[0], n = a.shape()[1], k = std::min(m, n);
  const Blas* library = blas();
  if (!library || !library->dgesdd) {
    if (m >= n) return jacobi(a, u, s, vt);
    Array left({n, m}, float64), right({m, m}, float64);  // of the transposed matrix
    jacobi(a.T().contiguous(), left, s, right);
    copy_elements(right.T(), u);
    return copy_elements(left.T(), vt);
  }
  // LAPACK is column-major: the row-major memory of a is the transposed matrix, whose u and vt are exchanged.
  Array x = a.copy();
  const int rows = static_cast<int>(n), columns = static_cast<int>(m), least = static_cast<int>(k);
  std::vector<int> iwork(static_cast<std::size_t>(8 * k));
  double size = 0;
  int lwork = -1, info = 0;
  const auto call = [&](double* work) {
    const OneThreadBlas one_thread;
    library->dgesdd("S", &rows, &columns, x.mutable_data<double>(), &rows, s.mutable_data<double>(),
                    vt.mutable_data<double>(), &rows, u.mutable_data<double>(), &least, work, &lwork, iwork.data(),
                    &info);
  };
  call(&size);
  lwork = static_cast<int>(size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  call(work.data());
  if (info != 0) throw RuntimeError("svd: LAPACK's dgesdd did not converge (info ", info, ")");
}

}  // namespace

void CpuBackend::svd(const Array& a, Array& u, Array& s, Array& vt) {
  for (int64_t i = 0; i < a.shape()[0]; ++i) {
    Array left = u[{i}], values = s[{i}], right = vt[{i}];
    svd_of_matrix(a[{i}], left, values, right);
  }
}

}  // namespace chainer::cpu
