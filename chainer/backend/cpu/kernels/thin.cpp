// SPDX-License-Identifier: MIT
// Products of a matrix with few rows, which read the other matrix once without packing it. Compiled once per
// instruction set. Each element is one sum in the order of the inner axis, wherever its column is in a block of
// columns.
#include "chainer/backend/cpu/kernels/fill.h"
#include "chainer/backend/cpu/kernels/float_vector.h"

namespace {

using chainer::cpu::ThinProduct;

constexpr int kColumns = kBytes >= 64 ? 4 : 2;  // with four rows, their sums stay in registers

// The last vector of a row of k elements; elements that belong to whole vectors before it are zero.
struct Tail {
  typedef int32_t Mask __attribute__((vector_size(kBytes)));
  int64_t k, taken;
  Mask mask = {};
  explicit Tail(int64_t k_) : k(k_), taken(k_ / kLanes * kLanes) {
    for (int64_t i = 0; i < kLanes; ++i) mask[i] = k < kLanes || k - kLanes + i >= taken ? -1 : 0;
  }
  Vector of(const float* row) const {
    Vector v = {};
    if (k < kLanes)
      __builtin_memcpy(&v, row, static_cast<unsigned long>(k) * sizeof(float));
    else
      v = load(row + k - kLanes);
    return reinterpret_cast<Vector>(reinterpret_cast<Mask>(v) & mask);
  }
};
template <int lanes, class V>
inline float sum_of_lanes(V v) {
  if constexpr (lanes == 4) {
    return (v[0] + v[2]) + (v[1] + v[3]);
  } else if constexpr (lanes == 2) {
    return v[0] + v[1];
  } else {
    typedef float Half __attribute__((vector_size(lanes * 2)));
    Half halves[2];
    __builtin_memcpy(halves, &v, sizeof v);
    return sum_of_lanes<lanes / 2>(static_cast<Half>(halves[0] + halves[1]));
  }
}
inline float sum_of(Vector v) { return sum_of_lanes<static_cast<int>(kLanes)>(v); }
inline void store(const ThinProduct& p, int64_t row, int64_t column, float sum) {
  float& out = p.out[row * p.out_row + column * p.out_column];
  out = p.alpha * sum + (p.beta == 0 ? 0 : p.beta * out);
}

// Columns with consecutive elements: inner products.
template <int rows, int columns>
void dot_block(const ThinProduct& p, int64_t column) {
  Vector sum[rows][columns] = {};
  const float* b = p.b + column * p.b_step;
  int64_t l = 0;
  for (; l + kLanes <= p.k; l += kLanes)
    for (int j = 0; j < columns; ++j) {
      const Vector v = load(b + j * p.b_step + l);
      for (int i = 0; i < rows; ++i) sum[i][j] += load(p.a + i * p.k + l) * v;
      // Prefetches the next columns: hardware prefetches within a page only, and a few columns fill one.
      if constexpr (kBytes >= 64) __builtin_prefetch(b + (columns + j) * p.b_step + l);
    }
  if (l < p.k) {
    const Tail tail(p.k);
    Vector a[rows];
    for (int i = 0; i < rows; ++i) a[i] = tail.of(p.a + i * p.k);
    for (int j = 0; j < columns; ++j) {
      const Vector v = tail.of(b + j * p.b_step);
      for (int i = 0; i < rows; ++i) sum[i][j] += a[i] * v;
    }
  }
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) store(p, i, column + j, sum_of(sum[i][j]));
}
template <int rows>
void dots(const ThinProduct& p, int64_t begin, int64_t end) {
  for (; begin + kColumns <= end; begin += kColumns) dot_block<rows, kColumns>(p, begin);
  for (; begin < end; ++begin) dot_block<rows, 1>(p, begin);
}

// Rows with consecutive elements: `vectors` vectors of sums, to which each row of b is added with a factor. Columns
// before `first` were written already.
template <int rows, int vectors>
void sum_block(const ThinProduct& p, int64_t column, int64_t first) {
  Vector sum[rows][vectors] = {};
  for (int64_t l = 0; l < p.k; ++l) {
    const float* b = p.b + l * p.b_step + column;
    for (int j = 0; j < vectors; ++j) {
      const Vector v = load(b + j * kLanes);
      for (int i = 0; i < rows; ++i) sum[i][j] += p.a[i * p.k + l] * v;
    }
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < vectors; ++j) {
      const int64_t begin = column + j * kLanes;
      if (p.out_column == 1 && p.beta == 0 && begin >= first) {
        const Vector scaled = p.alpha * sum[i][j];
        __builtin_memcpy(p.out + i * p.out_row + begin, &scaled, sizeof scaled);
      } else {
        for (int64_t lane = 0; lane < kLanes; ++lane)
          if (begin + lane >= first) store(p, i, begin + lane, sum[i][j][lane]);
      }
    }
}
template <int rows>
void sums(const ThinProduct& p, int64_t begin, int64_t end) {
  for (; begin + kColumns * kLanes <= end; begin += kColumns * kLanes) sum_block<rows, kColumns>(p, begin, begin);
  for (; begin + kLanes <= end; begin += kLanes) sum_block<rows, 1>(p, begin, begin);
  if (begin == end) return;
  if (end >= kLanes) return sum_block<rows, 1>(p, end - kLanes, begin);
  float sum[rows][kLanes] = {};  // for fewer columns than a vector has
  for (int64_t l = 0; l < p.k; ++l)
    for (int i = 0; i < rows; ++i)
      for (int64_t j = 0; j < end; ++j) sum[i][j] += p.a[i * p.k + l] * p.b[l * p.b_step + j];
  for (int i = 0; i < rows; ++i)
    for (int64_t j = 0; j < end; ++j) store(p, i, j, sum[i][j]);
}

template <int rows>
void product(const ThinProduct& p, int64_t begin, int64_t end) {
  if (p.b_transposed)
    dots<rows>(p, begin, end);
  else
    sums<rows>(p, begin, end);
}
void thin_product(const ThinProduct& p, int64_t begin, int64_t end) {
  switch (p.rows) {
    case 1: return product<1>(p, begin, end);
    case 2: return product<2>(p, begin, end);
    case 3: return product<3>(p, begin, end);
    default: return product<4>(p, begin, end);
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_thin(Kernels& k) { k.thin_product = thin_product; }
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
