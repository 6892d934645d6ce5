// SPDX-License-Identifier: MIT
// Products of numbers of eight bits by AMX. A tile has 16 rows of 64 bytes. A block of 32 x 32 sums stays in four
// tiles, and each step reads two tiles of each operand for four multiplications.
#include "chainer/backend/cpu/kernels/int8_table.h"
#include "chainer/backend/cpu/kernels/tile_shapes.h"

namespace {

using chainer::cpu::Int8Product;

// Two rows of tiles unless few_rows, two panels unless narrow.
template <bool few_rows, bool narrow>
void block(const Int8Product& p, const int8_t* b, int32_t* sums) {
  const auto bytes = static_cast<std::size_t>(p.sums_row) * sizeof(int32_t),
             a_bytes = static_cast<std::size_t>(p.a_row);
  const int8_t* const second = b + p.b_panel;
  const uint8_t *a = p.a, *below = p.a + 16 * p.a_row;
  _tile_zero(0);
  if constexpr (!narrow) _tile_zero(1);
  if constexpr (!few_rows) _tile_zero(2);
  if constexpr (!few_rows && !narrow) _tile_zero(3);
  for (int64_t s = 0; s < p.steps; ++s) {
    _tile_loadd(4, a + 64 * s, a_bytes);
    _tile_loadd(6, b + 1024 * s, 64);
    _tile_dpbusd(0, 4, 6);
    if constexpr (!narrow) {
      _tile_loadd(7, second + 1024 * s, 64);
      _tile_dpbusd(1, 4, 7);
    }
    if constexpr (!few_rows) {
      _tile_loadd(5, below + 64 * s, a_bytes);
      _tile_dpbusd(2, 5, 6);
      if constexpr (!narrow) _tile_dpbusd(3, 5, 7);
    }
  }
  int32_t* const lower = sums + 16 * p.sums_row;
  _tile_stored(0, sums, bytes);
  if constexpr (!narrow) _tile_stored(1, sums + 16, bytes);
  if constexpr (!few_rows) _tile_stored(2, lower, bytes);
  if constexpr (!few_rows && !narrow) _tile_stored(3, lower + 16, bytes);
}

}  // namespace

void chainer::cpu::tiles::int8_product(const Int8Product& p) {
  const auto upper = static_cast<uint8_t>(p.rows < 16 ? p.rows : 16), lower = static_cast<uint8_t>(p.rows - upper);
  const bool few_rows = lower == 0;
  set_tile_shapes(upper, few_rows ? upper : lower);
  int64_t i = 0;
  for (; i + 2 <= p.panels; i += 2) {
    const int8_t* const b = p.b + i * p.b_panel;
    few_rows ? block<true, false>(p, b, p.sums + i * 16) : block<false, false>(p, b, p.sums + i * 16);
  }
  if (i < p.panels) {
    const int8_t* const b = p.b + i * p.b_panel;
    few_rows ? block<true, true>(p, b, p.sums + i * 16) : block<false, true>(p, b, p.sums + i * 16);
  }
  _tile_release();
}
