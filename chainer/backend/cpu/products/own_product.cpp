// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/products/own_product.h"

#include <algorithm>

#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/backend/cpu/products/panel_product.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// With at least this many panels that do not stay in cache together, each thread packs a panel and multiplies it while
// it is in the second-level cache.
constexpr int64_t kPanelTasks = 4;

void undivided(const Problem<float>& p) {
  const Panels panels(p.n, p.k);
  const int64_t a_row = p.ta ? 1 : p.lda, a_inner = p.ta ? p.lda : 1;
  if (panels.count() < kPanelTasks || panels.size() <= kSmallPanels) {
    const ScratchBuffer packed(panels.size());
    pack_panels(panels, p.b, p.ldb, p.tb, p.n, p.k, packed.data());
    return multiply_panels(panels, p.m, p.k, p.a, a_row, a_inner, packed.data(), p.c, p.ldc, p.beta == 1);
  }
  parallel_ranges(panels.count(), p.m * p.n * p.k / 8, 1, [&](int64_t begin, int64_t end) {
    const ScratchBuffer packed(panel_kernels().vectors * panel_kernels().lanes * p.k);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = panels.column(i), columns = panels.columns(i);
      pack_panel(panels, i, p.b, p.ldb, p.tb, p.k, packed.data());
      panel_kernels().product({.a = p.a,
                               .a_row = a_row,
                               .a_inner = a_inner,
                               .b = packed.data(),
                               .out = p.c + first,
                               .out_row = p.ldc,
                               .rows = p.m,
                               .inner = p.k,
                               .vectors = panels.vectors(i),
                               .columns = columns,
                               .add = p.beta == 1});
    }
  });
}

// Below, rows of the transposed second matrix are called columns: they give the product's columns.
constexpr int64_t kRowsFrom = 13, kRowsTo = 256;  // numbers of rows of the first matrix
constexpr int64_t kColumns = 32;                  // columns of the product that are computed, then transposed
constexpr int64_t kChunk = int64_t(1) << 16;      // floats of the second matrix that stay in the second-level cache
constexpr int64_t kChunks = 8;                    // as many tasks are enough

// Returns how many of the rows are computed as lanes. The others are left to the library, whose kernels for few rows
// are fast with AVX-512 only.
int64_t rows_in_lanes(int64_t m, bool library) {
  const int64_t lanes = panel_kernels().lanes, rest = m % lanes;
  return library && lanes >= 16 && rest * 4 <= lanes * 3 ? m - rest : m;
}

}  // namespace

void multiply_by_panels(const Problem<float>& p) {
  constexpr int64_t kFew = 4096, kPart = 4096, kMostParts = 8;
  const int64_t parts = p.m * p.n <= kFew ? std::min(kMostParts, p.k / kPart) : 1, size = p.m * p.n;
  if (parts < 2) return undivided(p);
  const ScratchBuffer sums(parts * size);
  parallel(static_cast<int>(parts), p.m * p.n * p.k / 8, [&](int i) {
    const int64_t begin = p.k * i / parts, end = p.k * (i + 1) / parts;
    Problem<float> part = p;
    part.k = end - begin, part.a += begin * (p.ta ? p.lda : 1), part.b += begin * (p.tb ? 1 : p.ldb);
    part.c = sums.data() + i * size, part.ldc = p.n, part.beta = 0;
    undivided(part);
  });
  for (int64_t i = 1; i < parts; ++i)
    for (int64_t j = 0; j < size; ++j) sums.data()[j] += sums.data()[i * size + j];
  for (int64_t r = 0; r < p.m; ++r)
    for (int64_t j = 0; j < p.n; ++j)
      p.c[r * p.ldc + j] = sums.data()[r * p.n + j] + (p.beta == 1 ? p.c[r * p.ldc + j] : 0);
}

bool suits_rows(const Problem<float>& p, bool library) {
  if (!p.tb || p.ta || p.alpha != 1 || (p.beta != 0 && p.beta != 1)) return false;
  if (p.m < kRowsFrom || p.m >= kRowsTo || p.n < kColumns || p.k < 16) return false;
  // Padded lanes must cost less than packing.
  const int64_t lanes = panel_kernels().lanes, padded = blocks_of(rows_in_lanes(p.m, library), lanes) * lanes;
  return p.m * 4 >= padded * 3;
}

void multiply_by_rows(const Problem<float>& p, const std::function<void(const Problem<float>&)>& library) {
  const int64_t rows = rows_in_lanes(p.m, bool(library));
  const Panels panels(rows, p.k);
  const ScratchBuffer packed(panels.size());
  pack_panels(panels, p.a, p.lda, true, rows, p.k, packed.data());
  const int64_t share = blocks_of(p.n, kColumns * kChunks), fits = kChunk / (p.k * kColumns);
  const int64_t chunk = kColumns * std::max<int64_t>(1, std::min(share, fits));
  parallel_ranges(blocks_of(p.n, chunk), p.m * p.n * p.k / 8, 1, [&](int64_t begin, int64_t end) {
    const ScratchBuffer memory(kColumns * rows * 2);
    float *const columns = memory.data(), *const turned = columns + kColumns * rows;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t last = std::min(p.n, (i + 1) * chunk);
      for (int64_t at = i * chunk; at < last; at += kColumns) {
        const int64_t n = std::min(kColumns, last - at);
        for (int64_t j = 0; j < panels.count(); ++j)
          panel_kernels().product({.a = p.b + at * p.ldb,
                                   .a_row = p.ldb,
                                   .a_inner = 1,
                                   .b = packed.data() + panels.at(j),
                                   .out = columns + panels.column(j),
                                   .out_row = rows,
                                   .rows = n,
                                   .inner = p.k,
                                   .vectors = panels.vectors(j),
                                   .columns = panels.columns(j),
                                   .add = false});
        if (p.beta == 0) {
          kernels().transpose[sizeof(float)](p.c + at, p.ldc, columns, rows, n, rows);
          continue;
        }
        kernels().transpose[sizeof(float)](turned, n, columns, rows, n, rows);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t l = 0; l < n; ++l) p.c[r * p.ldc + at + l] += turned[r * n + l];
      }
      if (rows == p.m) continue;
      Problem<float> rest = p;
      rest.m = p.m - rows, rest.n = last - i * chunk;
      rest.a += rows * p.lda, rest.b += i * chunk * p.ldb, rest.c += rows * p.ldc + i * chunk;
      library(rest);
    }
  });
}

}  // namespace chainer::cpu
