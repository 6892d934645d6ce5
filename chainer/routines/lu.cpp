// Determinants and inverses by LU decomposition: LAPACK's where there is one. Computed in float64 for every dtype.
#include <cmath>
#include <vector>

#include "chainer/backend/cpu/blas.h"
#include "chainer/backend/cpu/parallel.h"
#include "chainer/routines/linalg.h"

namespace chainer {
namespace {

// The decomposition of one matrix in place, with the rows exchanged (from 1, as LAPACK counts). LAPACK takes the
// row-major memory for the transposed matrix, whose determinant and inverse are those wanted or their transposes.
bool decompose(double* a, int* pivots, int n) {
  int info = 0;
  if (const cpu::Blas* blas = cpu::blas(); blas && blas->dgetrf) {
    const cpu::OneThreadBlas one_thread;
    blas->dgetrf(&n, &n, a, &n, pivots, &info);
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

// From the decomposition to the inverse, in place.
void invert(double* a, const int* pivots, int n) {
  if (const cpu::Blas* blas = cpu::blas(); blas && blas->dgetri) {
    const int size = 64 * n;
    std::vector<double> work(static_cast<std::size_t>(size));
    int info = 0;
    const cpu::OneThreadBlas one_thread;
    blas->dgetri(&n, a, &n, pivots, work.data(), &size, &info);
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

// Calls f(matrix, index) on a float64 copy of every matrix of the stack.
template <class F>
Array for_matrices(const Array& a, std::string_view name, F&& f) {
  if (a.ndim() < 2 || a.shape(-1) != a.shape(-2))
    throw DimensionError(name, ": square matrices are needed, not shape ", a.shape());
  Array copy = a.contiguous().astype(Dtype::float64);
  double* data = copy.mutable_data<double>();
  const int64_t n = a.shape(-1), count = n ? a.size() / (n * n) : 0;
  cpu::parallel_ranges(count, a.size() * n, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(data + i * n * n, i);
  });
  return copy;
}

}  // namespace

Array inv(const Array& a) {
  const Array out = for_matrices(a, "inv", [&](double* m, int64_t i) {
    const int n = static_cast<int>(a.shape(-1));
    std::vector<int> pivots(static_cast<std::size_t>(n));
    if (!decompose(m, pivots.data(), n)) throw ValueError("inv: matrix ", i, " is singular");
    invert(m, pivots.data(), n);
  });
  return is_floating(a.dtype()) ? out.astype(a.dtype(), false) : out;
}

Array det(const Array& a) {
  Array out(Shape(a.shape().begin(), a.shape().end() - (a.ndim() < 2 ? 0 : 2)), Dtype::float64);
  out.fill(1);
  double* determinant = out.mutable_data<double>();
  (void)for_matrices(a, "det", [&](double* m, int64_t i) {
    const int n = static_cast<int>(a.shape(-1));
    std::vector<int> pivots(static_cast<std::size_t>(n));
    if (!decompose(m, pivots.data(), n)) {
      determinant[i] = 0;
      return;
    }
    for (int k = 0; k < n; ++k)
      determinant[i] *= m[k * n + k] * (pivots[static_cast<std::size_t>(k)] == k + 1 ? 1 : -1);
  });
  return is_floating(a.dtype()) ? out.astype(a.dtype(), false) : out;
}

}  // namespace chainer
