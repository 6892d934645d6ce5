// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/linalg.h"

#include <math.h>

namespace chainer::cuda {
namespace {

constexpr uint32_t kAllLanes = 0xffffffffu;

DEVICE void report(WrongIndex* wrong, int64_t number) {
  const auto position = static_cast<unsigned long long>(number) << 32;
  atomicMin(&wrong->high, position), atomicMin(&wrong->low, position);
}

// The largest element, in absolute value, of column k from row k on, of equal ones the first; in the first warp. As on
// the host, a NaN is taken only from row k.
struct Pivot {
  double value;
  int row;
};
DEVICE Pivot pivot_of(const double* m, int n, int k) {
  Pivot best{0, k};
  double most = -1;
  for (int i = k + int(threadIdx.x); i < n; i += 32) {
    const double size = fabs(m[int64_t(i) * n + k]);
    if (size > most || (i == k && size != size)) most = i == k && size != size ? INFINITY : size, best.row = i;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    const double other = __shfl_xor_sync(kAllLanes, most, distance);
    const int row = __shfl_xor_sync(kAllLanes, best.row, distance);
    if (other > most || (other == most && row < best.row)) most = other, best.row = row;
  }
  best.value = m[int64_t(best.row) * n + k];
  return best;
}

// Eliminates column by column. `factors` and `exchanged` have room for n rows.
template <bool inverse>
DEVICE void eliminate(const MatricesArgs& a, int64_t number, double* factors, int* exchanged) {
  SHARED(Pivot, shared_pivot, [1]);
  const int n = static_cast<int>(a.n), lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  double* const m = a.matrices + number * a.n * a.n;
  double determinant = 1;
  bool regular = true;
  for (int k = 0; k < n; ++k) {
    if (warp == 0) {
      const Pivot found = pivot_of(m, n, k);
      if (lane == 0) shared_pivot[0] = found, exchanged[k] = found.row;
    }
    __syncthreads();
    const Pivot pivot = shared_pivot[0];
    const int p = pivot.row;
    determinant = pivot.value == 0 ? 0 : determinant * (p == k ? pivot.value : -pivot.value);
    regular = pivot.value != 0;
    if (!regular) break;
    // Exchanges the rows k and p, divides row k, and copies column k.
    double *const top = m + int64_t(k) * n, *const other = m + int64_t(p) * n;
    for (int j = (inverse ? 0 : k) + int(threadIdx.x); j < n; j += blockDim.x) {
      const double from_top = top[j], from_other = other[j];
      if (p != k) other[j] = from_top;
      if (j == k) factors[p] = from_top;
      top[j] = inverse ? (j == k ? 1 : from_other) / pivot.value : from_other;
    }
    for (int i = (inverse ? 0 : k + 1) + int(threadIdx.x); i < n; i += blockDim.x)
      if (i != k && i != p) factors[i] = m[int64_t(i) * n + k];
    __syncthreads();
    for (int i = (inverse ? 0 : k + 1) + warp; i < n; i += warps) {
      if (i == k) continue;
      double* const row = m + int64_t(i) * n;
      const double factor = inverse ? factors[i] : factors[i] / pivot.value;
      for (int j = (inverse ? 0 : k + 1) + lane; j < n; j += 32)
        row[j] = (inverse && j == k ? 0 : row[j]) - factor * top[j];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    if (!inverse) a.out[number] = determinant;
    if (inverse && !regular) report(a.wrong, number);
  }
  if (inverse && !regular)
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) m[i] = NAN;
  // The exchanges of rows are exchanges of the inverse's columns.
  for (int i = threadIdx.x; inverse && regular && i < n; i += blockDim.x) {
    double* const row = m + int64_t(i) * n;
    for (int k = n - 1; k >= 0; --k) {
      const int p = exchanged[k];
      const double at_k = row[k];
      row[k] = row[p], row[p] = at_k;
    }
  }
  __syncthreads();
}

template <bool inverse>
DEVICE void over_matrices(const MatricesArgs& a) {
  DYNAMIC_SHARED(double, factors);
  for (int64_t number = blockIdx.x; number < a.count; number += gridDim.x)
    eliminate<inverse>(a, number, factors, reinterpret_cast<int*>(factors + a.n));
}

}  // namespace

KERNEL(invert_matrices, MatricesArgs) { over_matrices<true>(a); }
KERNEL(determinants, MatricesArgs) { over_matrices<false>(a); }
KERNEL(diagonal_products, MatricesArgs) {
  for (int64_t i = first_element(); i < a.count; i += element_step()) {
    double product = 1;
    for (int64_t k = 0; k < a.n; ++k) {
      const double pivot = a.matrices[(i * a.n + k) * a.n + k];
      product *= a.exchanged[i * a.n + k] == k + 1 ? pivot : -pivot;
    }
    a.out[i] = product;
  }
}
KERNEL(check_solved, SolverInfoArgs) {
  for (int64_t i = first_element(); i < a.count; i += element_step())
    if (a.info[2 * i] > 0) report(a.wrong, i);
}

namespace {

// The sum over the lanes, the same in all of them.
DEVICE double sum_of_lanes(double v) {
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(kAllLanes, v, distance);
  return v;
}
DEVICE double larger(double a, double b) { return a < b ? b : a; }
DEVICE void rotate(double* x, double* y, int64_t length, int lane, double c, double s) {
  for (int64_t i = lane; i < length; i += 32) {
    const double xi = x[i], yi = y[i];
    x[i] = c * xi - s * yi;
    y[i] = s * xi + c * yi;
  }
}

// Makes two rows orthogonal, by a warp. Returns true if they were not.
DEVICE bool make_orthogonal(const SvdArgs& a, double* rows, double* rotation, int64_t p, int64_t q, int lane) {
  double *const x = rows + p * a.length, *const y = rows + q * a.length;
  double xx = 0, yy = 0, xy = 0;
  for (int64_t i = lane; i < a.length; i += 32) xx += x[i] * x[i], yy += y[i] * y[i], xy += x[i] * y[i];
  xx = sum_of_lanes(xx), yy = sum_of_lanes(yy), xy = sum_of_lanes(xy);
  if (!(fabs(xy) > 1e-15 * sqrt(xx) * sqrt(yy))) return false;
  const double zeta = (yy - xx) / (2 * xy), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + hypot(1.0, zeta));
  const double c = 1 / sqrt(1 + t * t);
  rotate(x, y, a.length, lane, c, c * t);
  rotate(rotation + p * a.k, rotation + q * a.k, a.k, lane, c, c * t);
  return true;
}

// The order of singular values: descending, NaN first.
DEVICE bool comes_before(const double* norms, int64_t i, int64_t j) {
  const double x = norms[i], y = norms[j];
  const bool x_is_nan = x != x, y_is_nan = y != y;
  if (x > y || (x_is_nan && !y_is_nan)) return true;
  return (x == y || (x_is_nan && y_is_nan)) && i < j;
}

}  // namespace

KERNEL(svd_by_rotations, SvdArgs) {
  SHARED(int, rotated, [1]);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int64_t k = a.k, players = k + k % 2;
  for (int64_t number = blockIdx.x; number < a.count; number += gridDim.x) {
    double *const rows = a.rows + number * k * a.length, *const rotation = a.rotation + number * k * k;
    double* const norms = a.norms + number * k;
    for (int64_t i = threadIdx.x; i < k * k; i += blockDim.x) rotation[i] = i / k == i % k ? 1 : 0;
    // A power of two brings the largest element to about 1, so that squares neither overflow nor vanish.
    for (int64_t j = warp; j < k; j += warps) {
      double most = 0;
      for (int64_t i = lane; i < a.length; i += 32) most = larger(most, fabs(rows[j * a.length + i]));
      for (int distance = 16; distance > 0; distance /= 2)
        most = larger(most, __shfl_xor_sync(kAllLanes, most, distance));
      if (lane == 0) norms[j] = most;
    }
    __syncthreads();
    double most = 0;
    for (int64_t j = 0; j < k; ++j) most = larger(most, norms[j]);
    int exponent = 0;
    if (most > 0 && most < INFINITY) frexp(most, &exponent);
    for (int64_t i = threadIdx.x; i < k * a.length; i += blockDim.x) rows[i] = ldexp(rows[i], -exponent);
    for (int sweep = 0; sweep < SvdArgs::kMostSweeps; ++sweep) {
      if (threadIdx.x == 0) rotated[0] = 0;
      __syncthreads();
      // A tournament: in each round every row meets another one, and all have met after players - 1 rounds.
      for (int64_t round = 0; round < players - 1; ++round) {
        for (int64_t table = warp; table < players / 2; table += warps) {
          const int64_t p = table ? (round + table) % (players - 1) : players - 1;
          const int64_t q = table ? (round + players - 1 - table) % (players - 1) : round;
          if (p < k && q < k && make_orthogonal(a, rows, rotation, p < q ? p : q, p < q ? q : p, lane) && lane == 0)
            rotated[0] = 1;
        }
        __syncthreads();
      }
      const bool done = rotated[0] == 0;
      __syncthreads();
      if (done) break;
    }
    for (int64_t j = warp; j < k; j += warps) {
      double squares = 0;
      for (int64_t i = lane; i < a.length; i += 32) squares += rows[j * a.length + i] * rows[j * a.length + i];
      squares = sum_of_lanes(squares);
      if (lane == 0) norms[j] = sqrt(squares);
    }
    __syncthreads();
    for (int64_t j = warp; j < k; j += warps) {
      double before = 0;
      for (int64_t i = lane; i < k; i += 32) before += comes_before(norms, i, j);
      const auto place = static_cast<int64_t>(sum_of_lanes(before));
      const double norm = norms[j];
      if (lane == 0) a.value[number * k + place] = ldexp(norm, exponent);
      double* const to = a.long_side + number * k * a.length + place * a.long_vector;
      for (int64_t i = lane; i < a.length; i += 32)
        to[i * a.long_element] = norm == 0 ? 0 : rows[j * a.length + i] / norm;
      double* const other = a.short_side + number * k * k + place * a.short_vector;
      for (int64_t i = lane; i < k; i += 32) other[i * a.short_element] = rotation[j * k + i];
    }
    __syncthreads();
  }
}

}  // namespace chainer::cuda
