// SPDX-License-Identifier: MIT
// Products of bfloat16 matrices by AMX. A tile has 16 rows of 64 bytes. A block of 32 x 32 sums stays in four tiles,
// and each step reads two tiles of each operand for four multiplications. Limit: a multiplication of tiles takes 16
// cycles (512 multiply-adds each), a read from the first-level cache 8.
#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/kernels/tile_shapes.h"

namespace {

using chainer::cpu::BfloatProduct;

// Two rows of tiles unless few_rows, two columns of tiles unless narrow.
template <bool few_rows, bool narrow>
void block(const BfloatProduct& p, const uint16_t* b, float* sums) {
  const auto bytes = static_cast<std::size_t>(p.sums_row) * sizeof(float);
  const auto a_bytes = static_cast<std::size_t>(p.a_row) * sizeof(uint16_t);
  float* const below = sums + 16 * p.sums_row;
  if (p.start) {
    _tile_zero(0);
    if constexpr (!narrow) _tile_zero(1);
    if constexpr (!few_rows) _tile_zero(2);
    if constexpr (!few_rows && !narrow) _tile_zero(3);
  } else {
    _tile_loadd(0, sums, bytes);
    if constexpr (!narrow) _tile_loadd(1, sums + 16, bytes);
    if constexpr (!few_rows) _tile_loadd(2, below, bytes);
    if constexpr (!few_rows && !narrow) _tile_loadd(3, below + 16, bytes);
  }
  for (int64_t t = 0; t < p.segments; ++t)
    for (int64_t s = 0; s < p.steps; ++s, b += 1024) {
      const uint16_t* const a = p.a + p.offsets[t] + s * p.a_step;
      _tile_loadd(4, a, a_bytes);
      _tile_loadd(6, b, 128);
      _tile_dpbf16ps(0, 4, 6);
      if constexpr (!narrow) {
        _tile_loadd(7, b + 32, 128);
        _tile_dpbf16ps(1, 4, 7);
      }
      if constexpr (!few_rows) {
        _tile_loadd(5, a + 16 * p.a_row, a_bytes);
        _tile_dpbf16ps(2, 5, 6);
        if constexpr (!narrow) _tile_dpbf16ps(3, 5, 7);
      }
    }
  _tile_stored(0, sums, bytes);
  if constexpr (!narrow) _tile_stored(1, sums + 16, bytes);
  if constexpr (!few_rows) _tile_stored(2, below, bytes);
  if constexpr (!few_rows && !narrow) _tile_stored(3, below + 16, bytes);
}

}  // namespace

void chainer::cpu::tiles::product(const BfloatProduct& p) {
  set_tile_shapes(16, 16);
  for (int64_t i = 0; i < p.panels; ++i) {
    const uint16_t* const b = p.b + i * p.b_panel;
    float* const sums = p.sums + i * kBfloatColumns;
    if (p.narrow && i + 1 == p.panels)
      p.few_rows ? block<true, true>(p, b, sums) : block<false, true>(p, b, sums);
    else
      p.few_rows ? block<true, false>(p, b, sums) : block<false, false>(p, b, sums);
  }
  _tile_release();
}
