// SPDX-License-Identifier: MIT
// Products of few rows with a quantized matrix, which is kept in panels (kernels/few_bits_table.h).
#include <algorithm>
#include <cstring>
#include <optional>

#include "chainer/array/derived.h"
#include "chainer/array/host_kernels/quantized_matrix.h"
#include "chainer/array/recording/step.h"
#include "chainer/backend/cpu/kernels/few_bits_table.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

constexpr int64_t kColumns = cpu::kFewBitsColumns, kRows = cpu::kFewBitsRows;
// Identify forms among those of an array (packed_product.cpp sets the highest bit).
constexpr uint64_t kValues = uint64_t(0x51) << 56, kScales = uint64_t(0x52) << 56;

// A group is at most the inner axis, in multiples of 8.
struct Sizes {
  int64_t rows, groups, group, inner, panels;
  explicit Sizes(const QuantizedMatrix& q)
      : rows(q.rows()),
        groups(cpu::blocks_of(q.columns, q.group)),
        group(groups > 1 ? q.group : cpu::blocks_of(q.columns, 8) * 8),
        inner(groups * group),
        panels(cpu::blocks_of(rows, kColumns)) {}
};

void pack_values(const QuantizedMatrix& q, const Sizes& s, uint8_t* to) {
  const auto* const from = static_cast<const uint8_t*>(q.values.raw());
  const int64_t bytes = q.values.shape(1), size = s.inner * 2 * q.bits;
  cpu::parallel_ranges(s.panels, s.rows * bytes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      uint8_t* const panel = to + p * size;
      std::memset(panel, q.bits == 4 ? 0x88 : 0, static_cast<std::size_t>(size));
      for (int64_t j = 0; j < std::min(kColumns, s.rows - p * kColumns); ++j) {
        const uint8_t* const row = from + (p * kColumns + j) * bytes;
        if (q.bits == 8)
          for (int64_t l = 0; l < bytes; ++l) panel[l * 16 + j] = row[l];
        else
          for (int64_t l = 0; l < bytes; ++l) {
            const auto odd_end = q.columns % 2 && l + 1 == bytes;
            panel[(l / 4 * 16 + j) * 4 + l % 4] = odd_end ? static_cast<uint8_t>((row[l] & 15) | 0x80) : row[l];
          }
      }
    }
  });
}
void pack_scales(const QuantizedMatrix& q, const Sizes& s, float* to) {
  const float* const from = q.scales.data<float>();
  std::fill_n(to, s.panels * s.groups * kColumns, 0.f);
  for (int64_t i = 0; i < s.rows; ++i)
    for (int64_t g = 0; g < s.groups; ++g)
      to[(i / kColumns * s.groups + g) * kColumns + i % kColumns] = from[i * s.groups + g];
}

void few_rows(const Array& x, const QuantizedMatrix& q, Array& y) {
  const Sizes s(q);
  const int64_t n = x.shape(0), width = s.panels * kColumns;
  const auto values = derived_form(q.values, kValues | static_cast<uint64_t>(q.group << 8 | q.bits),
                                   static_cast<std::size_t>(s.panels * s.inner * 2 * q.bits),
                                   [&](void* to) { pack_values(q, s, static_cast<uint8_t*>(to)); });
  const auto scales =
      derived_form(q.scales, kScales, static_cast<std::size_t>(s.panels * s.groups * kColumns) * sizeof(float),
                   [&](void* to) { pack_scales(q, s, static_cast<float*>(to)); });
  const float* rows = x.data<float>();
  std::optional<cpu::ScratchBuffer> longer, wider;
  if (s.inner != q.columns) {
    float* const to = longer.emplace(n * s.inner).data();
    for (int64_t i = 0; i < n; ++i) {
      std::copy_n(rows + i * q.columns, q.columns, to + i * s.inner);
      std::fill_n(to + i * s.inner + q.columns, s.inner - q.columns, 0.f);
    }
    rows = to;
  }
  float* const result = y.mutable_data<float>();
  float* const out = width == s.rows ? result : wider.emplace(n * width).data();
  const auto* const b = static_cast<const uint8_t*>(values->block.data);
  const float* const factors = static_cast<const float*>(scales->block.data);
  const auto product = q.bits == 4 ? cpu::few_bits_kernels().product4 : cpu::few_bits_kernels().product8;
  cpu::parallel_ranges(s.panels, n * s.inner * width / 4, 4, [&](int64_t begin, int64_t end) {
    constexpr int64_t kPart = 16;  // panels that stay in the cache for all rows
    for (int64_t p = begin; p < end; p += kPart)
      for (int64_t r = 0; r < n; r += kRows)
        product({.x = rows + r * s.inner,
                 .x_row = s.inner,
                 .rows = std::min(kRows, n - r),
                 .inner = s.inner,
                 .group = s.group,
                 .b = b + p * s.inner * 2 * q.bits,
                 .scales = factors + p * s.groups * kColumns,
                 .panels = std::min(kPart, end - p),
                 .out = out + r * width + p * kColumns,
                 .out_row = width});
  });
  if (out != result)
    for (int64_t i = 0; i < n; ++i) std::copy_n(out + i * width, s.rows, result + i * s.rows);
}

}  // namespace

Array quantized_product(const Array& x, const QuantizedMatrix& q) {
  Array y({x.shape(0), q.rows()}, float32);
  if (x.shape(1) == 0) {
    y.fill(0);
    return y;
  }
  const Array in[] = {x, q.values, q.scales};
  recording::step(
      "quantized_product", in, {&y, 1},
      [bits = q.bits, group = q.group, columns = q.columns](std::span<const Array> i, std::span<Array> o) {
        few_rows(i[0], {bits, group, columns, i[1], i[2]}, o[0]);
      },
      true);
  return y;
}

}  // namespace chainer::host_kernels
