// SPDX-License-Identifier: MIT
// The kernels of Winograd's algorithm (Lavin and Gray, arXiv:1509.09308). Separate from the table of the other kernels,
// so that a program without convolutions is not linked with them.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"
#include "chainer/backend/cpu/kernels/panel_table.h"

namespace chainer::cpu {

/// Results are computed in tiles of 4x4 pixels. The input tiles have one pixel less per axis than results and taps
/// together: 6x6 for filters of 3x3, 5x5 for filters of 2x2.
inline constexpr int kTileOut = 4, kTileMost = 6;

/// The results of a tile: pixel (y, x) is out[y * line + x * pixel], for the first `lines` lines and `pixels` pixels.
struct TileResult {
  void* out;
  int64_t line, pixel, lines, pixels;
  const float* bias;  // may be null
  bool add;           // to the previous values
};

/// The transforms for one filter size. Each transformed tile or filter is `side` x `side` vectors; the i-th is at out +
/// i * apart. Images and results are float32 (the first of two kernels) or bfloat16; transformed ones are float32.
struct WinogradTransforms {
  int64_t taps, side;
  /// Transforms side * side pixels of `vectors` vectors of channels, which begin at pixel[i], and writes row `row` in
  /// the given order.
  void (*image[2])(const void* const* pixel, int64_t vectors, float* out, int64_t apart, VectorOrder order,
                   int64_t row);
  /// As `image`, for the gradient with respect to 4x4 results (16 pixels).
  void (*gradient[2])(const void* const* pixel, int64_t vectors, float* out, int64_t apart, VectorOrder order,
                      int64_t row);
  /// Transforms taps * taps vectors of a filter.
  void (*filter)(const float* const* tap, float* out, int64_t apart);
  /// Computes the results of a tile from products of `vectors` vectors.
  void (*result[2])(const float* products, int64_t apart, int64_t vectors, const TileResult& to);
  /// Computes the taps * taps consecutive vectors of a filter gradient from products of one vector.
  void (*filter_gradient)(const float* products, int64_t apart, float* to);
};
struct WinogradKernels {
  WinogradTransforms three, two;  ///< for filters of 3x3 and of 2x2
};

/// Returns the table of the instruction set that kernels() has selected.
const WinogradKernels& winograd_kernels();

CHAINER_DECLARE_FILL(fill_winograd, WinogradKernels)

}  // namespace chainer::cpu
