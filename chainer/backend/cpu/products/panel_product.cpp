// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/products/panel_product.h"

#include <algorithm>
#include <cstring>

#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

void pack_panel(const Panels& panels, int64_t panel, const float* b, int64_t b_step, bool transposed, int64_t k,
                float* to) {
  const int64_t first = panels.column(panel), columns = panels.columns(panel), width = panels.width(panel);
  if (columns < width) std::memset(to, 0, static_cast<std::size_t>(width * k) * sizeof(float));
  if (transposed) return kernels().transpose[sizeof(float)](to, width, b + first * b_step, b_step, columns, k);
  for (int64_t l = 0; l < k; ++l)
    std::memcpy(to + l * width, b + l * b_step + first, static_cast<std::size_t>(columns) * sizeof(float));
}

void pack_panels(const Panels& panels, const float* b, int64_t b_step, bool transposed, int64_t n, int64_t k,
                 float* to) {
  parallel_ranges(panels.count(), n * k, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) pack_panel(panels, p, b, b_step, transposed, k, to + panels.at(p));
  });
}

void multiply_panels(const Panels& panels, int64_t m, int64_t k, const float* a, int64_t a_row, int64_t a_inner,
                     const float* packed, float* out, int64_t out_step, bool add) {
  constexpr int64_t kRows = 32;  // rows of a that stay in cache with a panel
  const int64_t chunks = (m + kRows - 1) / kRows, count = panels.count();
  // Panels that stay in cache together are taken in turn for each chunk of rows, so that the threads' parts are equal,
  // although panels have different widths.
  const bool stay = panels.size() <= kSmallPanels;
  parallel_ranges(count * chunks, m * panels.size() / 8, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t panel = stay ? i % count : i / chunks, row = (stay ? i / count : i % chunks) * kRows;
      panel_kernels().product({.a = a + row * a_row,
                               .a_row = a_row,
                               .a_inner = a_inner,
                               .b = packed + panels.at(panel),
                               .out = out + row * out_step + panels.column(panel),
                               .out_row = out_step,
                               .rows = std::min(kRows, m - row),
                               .inner = k,
                               .vectors = panels.vectors(panel),
                               .columns = panels.columns(panel),
                               .add = add});
    }
  });
}

}  // namespace chainer::cpu
