#include "chainer/routines/linalg.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/backend/cpu/blas.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer {

void matmul_into(const Array& a, const Array& b, Array& out, double alpha, double beta) {
  // The kernels trust these, and functions come here unchecked where config.type_check is false.
  const int d = out.ndim();
  const bool fits = (d == 2 || d == 3) && a.ndim() == d && b.ndim() == d &&
                    (d == 2 || (a.shape()[0] == out.shape()[0] && b.shape()[0] == out.shape()[0])) &&
                    a.shape()[d - 2] == out.shape()[d - 2] && b.shape()[d - 1] == out.shape()[d - 1] &&
                    a.shape()[d - 1] == b.shape()[d - 2];
  if (!fits)
    throw DimensionError("matmul: shapes ", a.shape(), " and ", b.shape(), " do not fit a result of shape ",
                         out.shape());
  if (a.dtype() != out.dtype() || b.dtype() != out.dtype())
    throw DtypeError("matmul: ", a.dtype(), " times ", b.dtype(), " into ", out.dtype(), "; one dtype is needed");
  out.device().backend().gemm(a, b, out, alpha, beta);
}

Array matmul(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) throw ValueError("matmul: operands need at least one axis");
  const Dtype type = promote(a.dtype(), b.dtype());
  if (a.ndim() == 1 || b.ndim() == 1) {
    const Array x = a.ndim() == 1 ? expand_dims(a, 0) : a, y = b.ndim() == 1 ? expand_dims(b, 1) : b;
    Array out = matmul(x, y);
    if (b.ndim() == 1) out = squeeze(out, -1);
    return a.ndim() == 1 ? squeeze(out, b.ndim() == 1 ? -1 : -2) : out;
  }
  const int64_t m = a.shape(-2), k = a.shape(-1), n = b.shape(-1);
  if (b.shape(-2) != k)
    throw DimensionError("matmul: shapes ", a.shape(), " and ", b.shape(), " do not fit: ", k, " columns times ",
                         b.shape(-2), " rows");
  const Array x = a.astype(type, false), y = b.astype(type, false);
  if (b.ndim() == 2) {  // one product however many matrices a stacks
    const Array rows = a.ndim() == 2 ? x : x.reshape({-1, k});
    Array out({a.size() && k ? a.size() / k : a.shape().product() / std::max<int64_t>(k, 1), n}, type, a.device());
    if (k == 0)
      out = zeros({Dims(a.shape().begin(), a.shape().end() - 1).product(), n}, type, a.device());
    else
      matmul_into(rows, y, out);
    Shape shape = a.shape();
    shape[a.ndim() - 1] = n;
    return out.reshape(shape);
  }
  const Shape batch = broadcast_shapes(Dims(a.shape().begin(), a.shape().end() - 2),
                                       Dims(b.shape().begin(), b.shape().end() - 2), "matmul");
  const auto stacked = [&](const Array& z) {
    Shape s = batch;
    s.push_back(z.shape(-2));
    s.push_back(z.shape(-1));
    return broadcast_to(z, s).reshape({batch.product(), z.shape(-2), z.shape(-1)});
  };
  Array out({batch.product(), m, n}, type, a.device());
  if (k == 0)
    out.fill(0);
  else
    matmul_into(stacked(x), stacked(y), out);
  Shape shape = batch;
  shape.push_back(m);
  shape.push_back(n);
  return out.reshape(shape);
}

Array dot(const Array& a, const Array& b) {
  if (b.ndim() <= 2 || a.ndim() == 0) return matmul(a, b);
  const Array y = moveaxis(b, -2, 0);
  Shape rest(y.shape().begin() + 1, y.shape().end());
  const Array out = matmul(a, y.reshape({y.shape()[0], -1}));
  Shape shape(a.shape().begin(), a.shape().end() - 1);
  for (int64_t n : rest) shape.push_back(n);
  return out.reshape(shape);
}

namespace {

// One-sided Jacobi (Hestenes): rotates pairs of columns of g (m x n, m >= n, column-major) until all are orthogonal.
Svd jacobi(const Array& a) {
  const int64_t m = a.shape()[0], n = a.shape()[1];
  std::vector<double> g = a.T().to_vector<double>(), v = eye(n, {}, 0, float64).to_vector<double>();
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
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
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
  Svd out{Array({n, m}, float64), Array({n}, float64), Array({n, n}, float64)};
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<std::size_t>(j)];
    const double value = s[static_cast<std::size_t>(from)];
    out.s.mutable_data<double>()[j] = value;
    for (int64_t i = 0; i < m; ++i)
      out.u.mutable_data<double>()[j * m + i] = value > 0 ? column(g, m, from)[i] / value : 0;
    std::copy_n(column(v, n, from), n, out.vt.mutable_data<double>() + j * n);
  }
  out.u = out.u.T().contiguous();
  return out;
}

}  // namespace

Svd svd(const Array& a) {
  if (a.ndim() != 2 || a.size() == 0)
    throw DimensionError("svd: a matrix with elements is needed, not shape ", a.shape());
  const int64_t m = a.shape()[0], n = a.shape()[1], k = std::min(m, n);
  const cpu::Blas* blas = cpu::blas();
  if (!blas || !blas->dgesdd) {
    if (m >= n) return jacobi(dense(a, float64));
    const Svd t = jacobi(dense(a.T(), float64));
    return {t.vt.T().contiguous(), t.s, t.u.T().contiguous()};
  }
  // LAPACK is column-major: row-major memory of a is the transposed matrix, whose u and vt change places.
  Array x = a.contiguous().astype(float64);
  Svd out{Array({m, k}, float64), Array({k}, float64), Array({k, n}, float64)};
  const int rows = static_cast<int>(n), columns = static_cast<int>(m), least = static_cast<int>(k);
  std::vector<int> iwork(static_cast<std::size_t>(8 * k));
  double size = 0;
  int lwork = -1, info = 0;
  const auto call = [&](double* work) {
    const cpu::OneThreadBlas one_thread;
    blas->dgesdd("S", &rows, &columns, x.mutable_data<double>(), &rows, out.s.mutable_data<double>(),
                 out.vt.mutable_data<double>(), &rows, out.u.mutable_data<double>(), &least, work, &lwork, iwork.data(),
                 &info);
  };
  call(&size);
  lwork = static_cast<int>(size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  call(work.data());
  if (info != 0) throw RuntimeError("svd: LAPACK's dgesdd did not converge (info ", info, ")");
  return out;
}

}  // namespace chainer
