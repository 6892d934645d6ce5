// SPDX-License-Identifier: MIT
// Products with a matrix in panels of up to three vectors. Compiled once per instruction set. The sums of a few rows
// and a panel stay in registers, which keeps the multipliers busy. Each element is one sum in the order of the inner
// axis, which is then added to the previous value.
#include <cstring>

#include "chainer/backend/cpu/kernels/float_vector.h"
#include "chainer/backend/cpu/kernels/panel_table.h"

namespace {

using chainer::cpu::PanelProduct;

constexpr int64_t kInner = 1024;  // a panel with this many rows stays in cache
constexpr int kRows = kBytes >= 64 ? 8 : 4, kVectors = 3;

// Computes rows [row, row + count) for elements [from, to) of the inner axis. If fewer than `rows` are left, the last
// one is computed several times.
template <int vectors, int rows>
void block(const PanelProduct& p, int64_t row, int64_t count, int64_t from, int64_t to) {
  const float* a[rows];
  for (int i = 0; i < rows; ++i) a[i] = p.a + (row + (i < count ? i : count - 1)) * p.a_row;
  float* const out = p.out + row * p.out_row;
  const bool full = p.columns == vectors * kLanes;
  const auto bytes = static_cast<std::size_t>(p.columns) * sizeof(float);
  float part[vectors * kLanes] = {};
  // Loads the previous sums.
  const auto read = [&](Vector(&sum)[rows][vectors]) {
    for (int i = 0; i < rows && i < count; ++i) {
      const float* line = out + i * p.out_row;
      if (!full) line = static_cast<const float*>(std::memcpy(part, line, bytes));
      for (int j = 0; j < vectors; ++j) sum[i][j] += load(line + j * kLanes);
    }
  };
  Vector sum[rows][vectors] = {};
  if (from > 0) read(sum);
  const float* line = p.b + from * vectors * kLanes;
  for (int64_t l = from, at = from * p.a_inner; l < to; ++l, at += p.a_inner, line += vectors * kLanes) {
    Vector v[vectors];
#pragma GCC unroll 3
    for (int j = 0; j < vectors; ++j) v[j] = load(line + j * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
      for (int j = 0; j < vectors; ++j) sum[i][j] += a[i][at] * v[j];
  }
  if (p.add) read(sum);
  for (int i = 0; i < rows && i < count; ++i) {
    float* const to_line = full ? out + i * p.out_row : part;
    for (int j = 0; j < vectors; ++j) store(to_line + j * kLanes, sum[i][j]);
    if (!full) std::memcpy(out + i * p.out_row, part, bytes);
  }
}

template <int vectors>
void panel(const PanelProduct& p) {
  // (With p.add the inner axis is not split, so that a product has the same bits with and without it.)
  const int64_t step = p.add ? p.inner : kInner;
  for (int64_t from = 0; from < p.inner; from += step) {
    const int64_t to = from + step < p.inner ? from + step : p.inner;
    for (int64_t row = 0; row < p.rows; row += kRows) {
      const int64_t count = p.rows - row < kRows ? p.rows - row : kRows;
      if (count <= kRows / 2)
        block<vectors, kRows / 2>(p, row, count, from, to);
      else
        block<vectors, kRows>(p, row, count, from, to);
    }
  }
}

void product(const PanelProduct& p) {
  if (p.vectors == 3)
    panel<3>(p);
  else if (p.vectors == 2)
    panel<2>(p);
  else
    panel<1>(p);
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_panels(PanelKernels& k) { k = {kLanes, kVectors, product}; }
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
