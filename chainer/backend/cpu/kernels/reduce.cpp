// SPDX-License-Identifier: MIT
// Kernels that reduce a block, and softmax of a row. Compiled once per instruction set.
#include "chainer/backend/common/formula_math.h"

#include <limits>

#include "chainer/backend/cpu/kernels/fill.h"

namespace {

template <class T>
struct Wide {
  using type = double;
};
template <>
struct Wide<int64_t> {
  using type = int64_t;
};

template <class T>
void sum(void* result, const void* block, int64_t n) {
  // Explicit lanes: the same order of additions for every instruction set, and short dependency chains without vectors.
  constexpr int kLanes = 32;
  const T* x = static_cast<const T*>(block);
  T lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) lane[l] += x[i + l];
  for (int l = 0; i + l < n; ++l) lane[l] += x[i + l];
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) lane[l] += lane[l + width];
  *static_cast<typename Wide<T>::type*>(result) = lane[0];
}
template <class T>
void prod(void* result, const void* block, int64_t n) {
  const T* x = static_cast<const T*>(block);
  T s = 1;
#pragma omp simd reduction(* : s)
  for (int64_t i = 0; i < n; ++i) s *= x[i];
  *static_cast<typename Wide<T>::type*>(result) = s;
}
// NaN wins, as in NumPy. It is detected separately from the comparison, so that both vectorise.
template <class T>
void max(void* result, const void* block, int64_t n) {
  const T* x = static_cast<const T*>(block);
  T s = x[0];
  int nan = 0;
#pragma omp simd reduction(max : s) reduction(| : nan)
  for (int64_t i = 0; i < n; ++i) s = x[i] > s ? x[i] : s, nan |= x[i] != x[i];
  if (nan) s = std::numeric_limits<T>::quiet_NaN();
  *static_cast<typename Wide<T>::type*>(result) = s;
}
template <class T>
void min(void* result, const void* block, int64_t n) {
  const T* x = static_cast<const T*>(block);
  T s = x[0];
  int nan = 0;
#pragma omp simd reduction(min : s) reduction(| : nan)
  for (int64_t i = 0; i < n; ++i) s = x[i] < s ? x[i] : s, nan |= x[i] != x[i];
  if (nan) s = std::numeric_limits<T>::quiet_NaN();
  *static_cast<typename Wide<T>::type*>(result) = s;
}

// Combinations of rows, by the formulas of the elementwise operations.
struct Sum {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Prod {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b || a != a ? a : b;
  }
};
template <class T, class Op>
void columns(void* acc_, const void* rows, int64_t step, int64_t n, int64_t count, bool start) {
  constexpr int64_t kWide = 32;  // columns that stay in registers over all rows
  T* acc = static_cast<T*>(acc_);
  const T* x = static_cast<const T*>(rows);
  int64_t j = 0;
  for (; j + kWide <= n; j += kWide) {
    T a[kWide];
    for (int64_t i = 0; i < kWide; ++i) a[i] = start ? x[j + i] : acc[j + i];
    for (int64_t r = start; r < count; ++r) {
      const T* row = x + r * step + j;
      for (int64_t i = 0; i < kWide; ++i) a[i] = Op::apply(a[i], row[i]);
    }
    for (int64_t i = 0; i < kWide; ++i) acc[j + i] = a[i];
  }
  if (j == n) return;
  if (start)
    for (int64_t i = j; i < n; ++i) acc[i] = x[i];
  for (int64_t r = start; r < count; ++r) {
    const T* row = x + r * step;
    CHAINER_IVDEP
    for (int64_t i = j; i < n; ++i) acc[i] = Op::apply(acc[i], row[i]);
  }
}
void widen_columns(double* sums, const void* acc_, int64_t n, bool start) {
  const float* acc = static_cast<const float*>(acc_);
  if (start) {
    CHAINER_IVDEP
    for (int64_t i = 0; i < n; ++i) sums[i] = static_cast<double>(acc[i]);
  } else {
    CHAINER_IVDEP
    for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<double>(acc[i]);
  }
}

// Sixteen adjacent rows are treated as one longer row, which fills vectors; its parts are added in double.
void sum_few_columns(double* sums, const void* rows_, int64_t n, int64_t count, bool start) {
  constexpr int64_t kRows = 16;
  const float* x = static_cast<const float*>(rows_);
  float side[kRows * chainer::cpu::kFewColumns];
  const int64_t length = kRows * n, first = count < kRows ? count * n : length;
  for (int64_t i = 0; i < first; ++i) side[i] = x[i];
  for (int64_t i = first; i < length; ++i) side[i] = 0;
  int64_t at = length;
  for (; at + length <= count * n; at += length) {
    CHAINER_IVDEP
    for (int64_t i = 0; i < length; ++i) side[i] += x[at + i];
  }
  for (int64_t i = 0; at + i < count * n; ++i) side[i] += x[at + i];
  for (int64_t j = 0; j < n; ++j) {
    double total = start ? 0 : sums[j];
    for (int64_t r = 0; r < kRows; ++r) total += static_cast<double>(side[r * n + j]);
    sums[j] = total;
  }
}

// The sum of exp(x - top), in blocks of 256 whose sums are added in double, so that long rows keep their precision; the
// exponentials are written to `o` unless it is null. The last elements, which do not fill a vector, are computed as
// part of the vector `last` of the row's end, since they would otherwise be computed one by one.
template <class T>
double exponentials(T* o, const T* x, T top, int64_t n, T* last) {
  constexpr int64_t kWidth = 64 / sizeof(T);
  const int64_t most = n < kWidth ? n : n / kWidth * kWidth;
  double total = 0;
  for (int64_t i = 0; i < most; i += 256) {
    const int64_t end = i + 256 < most ? i + 256 : most;
    T s = 0;
    if (o) {
#pragma omp simd reduction(+ : s)
      for (int64_t j = i; j < end; ++j) {
        const T e = m::exp(x[j] - top);
        o[j] = e;
        s += e;
      }
    } else {
#pragma omp simd reduction(+ : s)
      for (int64_t j = i; j < end; ++j) s += m::exp(x[j] - top);
    }
    total += static_cast<double>(s);
  }
  if (most == n) return total;
  const T counted = static_cast<T>(kWidth - (n - most));
  T s = 0;
#pragma omp simd reduction(+ : s)
  for (int j = 0; j < static_cast<int>(kWidth); ++j) {
    last[j] = m::exp(last[j] - top);
    s += static_cast<T>(j) < counted ? T(0) : last[j];
  }
  return total + static_cast<double>(s);
}
template <class T>
void softmax(void* out, const void* in, int64_t n, bool log) {
  constexpr int64_t kWidth = 64 / sizeof(T);
  T* o = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in);
  T last[kWidth];
  const bool overlaps = n > kWidth && n % kWidth != 0;
  if (overlaps) __builtin_memcpy(last, x + n - kWidth, sizeof last);  // (`out` may be `in`)
  double largest;
  max<T>(&largest, x, n);
  const T top = static_cast<T>(largest);
  const double total = exponentials<T>(log ? nullptr : o, x, top, n, last);
  if (log) {
    const T shift = static_cast<T>(::log(total));
    CHAINER_IVDEP
    for (int64_t i = 0; i < n; ++i) o[i] = (x[i] - top) - shift;
  } else {
    const T scale = static_cast<T>(1 / total);
    const int64_t most = overlaps ? n / kWidth * kWidth : n;
    CHAINER_IVDEP
    for (int64_t i = 0; i < most; ++i) o[i] *= scale;
    if (!overlaps) return;
    for (int64_t i = 0; i < kWidth; ++i) last[i] *= scale;
    __builtin_memcpy(o + n - kWidth, last, sizeof last);
  }
}

template <class T>
void fill_rows(chainer::cpu::RowKernel* row, chainer::cpu::ColumnKernel* column) {
  using chainer::Reduce;
  row[static_cast<int>(Reduce::sum)] = sum<T>;
  row[static_cast<int>(Reduce::prod)] = prod<T>;
  row[static_cast<int>(Reduce::max)] = max<T>;
  row[static_cast<int>(Reduce::min)] = min<T>;
  column[static_cast<int>(Reduce::sum)] = columns<T, Sum>;
  column[static_cast<int>(Reduce::prod)] = columns<T, Prod>;
  column[static_cast<int>(Reduce::max)] = columns<T, Max>;
  column[static_cast<int>(Reduce::min)] = columns<T, Min>;
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_reduce(Kernels& k) {
  fill_rows<float>(k.row[kF32], k.columns[kF32]);
  fill_rows<double>(k.row[kF64], k.columns[kF64]);
  fill_rows<int64_t>(k.row[kI64], k.columns[kI64]);
  k.widen_columns = widen_columns;
  k.sum_few_columns = sum_few_columns;
  k.softmax[kF32] = softmax<float>;
  k.softmax[kF64] = softmax<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
