// SPDX-License-Identifier: MIT
// The shapes of AMX's tiles for a block of up to 32 x 32 sums: tiles 0 to 3 hold the sums, two next to each other and
// two below, tiles 4 and 5 rows of the first matrix, tiles 6 and 7 columns of the second one.
#pragma once
#include <immintrin.h>

#include <cstdint>

namespace {

struct alignas(64) TileShapes {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {};
};

/// Sets the shapes for `upper` rows of sums and `lower` ones below, from 1 to 16.
[[gnu::always_inline]] inline void set_tile_shapes(uint8_t upper, uint8_t lower) {
  TileShapes shapes;
  shapes.rows[0] = shapes.rows[1] = shapes.rows[4] = upper;
  shapes.rows[2] = shapes.rows[3] = shapes.rows[5] = lower;
  shapes.rows[6] = shapes.rows[7] = 16;
  _tile_loadconfig(&shapes);
}

}  // namespace
