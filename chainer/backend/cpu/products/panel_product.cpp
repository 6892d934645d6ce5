// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/products/panel_product.h"

#include <algorithm>
#include <cstring>

#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

void pack_panels(const Panels& panels, const float* b, int64_t b_step, bool transposed, int64_t n, int64_t k,
                 float* to) {
  parallel_ranges(panels.count(), n * k, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = panels.column(p), columns = panels.columns(p), width = panels.width(p);
      float* const panel = to + panels.at(p);
      if (columns < width) std::memset(panel, 0, static_cast<std::size_t>(width * k) * sizeof(float));
      if (transposed) {
        kernels().transpose[sizeof(float)](panel, width, b + first * b_step, b_step, columns, k);
        continue;
      }
      for (int64_t l = 0; l < k; ++l)
        std::memcpy(panel + l * width, b + l * b_step + first, static_cast<std::size_t>(columns) * sizeof(float));
    }
  });
}

void multiply_panels(const Panels& panels, int64_t m, int64_t k, const float* a, int64_t a_row, int64_t a_inner,
                     const float* packed, float* out, int64_t out_step, bool add) {
  constexpr int64_t kRows = 32;  // rows of a that stay in cache with a panel
  const int64_t chunks = (m + kRows - 1) / kRows;
  parallel_ranges(panels.count() * chunks, m * panels.size() / 8, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t panel = i / chunks, row = i % chunks * kRows;
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
