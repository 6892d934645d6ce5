// The table of inner loops of Winograd's algorithm (Lavin and Gray, arXiv:1509.09308). Apart from the table of the
// other kernels, so that a program without convolutions is linked with none of it.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"
#include "chainer/backend/cpu/kernels/panel_table.h"

namespace chainer::cpu {

/// Results are made in tiles of 4x4 pixels, from tiles of images with one pixel less than results and taps have: 6x6
/// for filters of 3x3, 5x5 for those of 2x2.
inline constexpr int kTileOut = 4, kTileMost = 6;

/// The results of a tile: pixel (y, x) at out[y * line + x * pixel], of the first `lines` lines and `pixels` pixels.
struct TileResult {
  float* out;
  int64_t line, pixel, lines, pixels;
  const float* bias;  // null: none
  bool add;           // to what is there
};

/// The transforms of a filter's size. Each transformed tile or filter is `side` x `side` vectors, the i-th at
/// out + i * apart.
struct WinogradTransforms {
  int64_t taps, side;
  /// Of `vectors` vectors of channels of side * side pixels, each from pixel[i] on, to `row` in the order given.
  void (*image)(const float* const* pixel, int64_t vectors, float* out, int64_t apart, VectorOrder order, int64_t row);
  /// The same of the gradients of 4x4 results (16 pixels).
  void (*gradient)(const float* const* pixel, int64_t vectors, float* out, int64_t apart, VectorOrder order,
                   int64_t row);
  /// Of taps * taps vectors.
  void (*filter)(const float* const* tap, float* out, int64_t apart);
  /// From products of `vectors` vectors the results of a tile.
  void (*result)(const float* products, int64_t apart, int64_t vectors, const TileResult& to);
  /// From products of a vector the taps * taps vectors, one behind the other, of a gradient of filters.
  void (*filter_gradient)(const float* products, int64_t apart, float* to);
};
struct WinogradKernels {
  WinogradTransforms three, two;  ///< filters of 3x3 and of 2x2
};

/// The table of the instruction set that kernels() chose.
const WinogradKernels& winograd_kernels();

CHAINER_DECLARE_FILL(fill_winograd, WinogradKernels)

}  // namespace chainer::cpu
