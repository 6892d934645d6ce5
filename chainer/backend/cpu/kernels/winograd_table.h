// The table of inner loops of Winograd's algorithm F(4x4, 3x3) (Lavin and Gray, arXiv:1509.09308). Apart from the table
// of the other kernels, so that a program without convolutions is linked with none of it.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/panel_table.h"

namespace chainer::cpu {

/// A tile of the image has 6x6 pixels, of the results 4x4: 36 products of matrices instead of 9 of four times the size.
inline constexpr int kTile = 6, kTileOut = 4, kTileProducts = kTile * kTile;

/// The results of a tile: pixel (y, x) at out[y * line + x * pixel], of the first `lines` lines and `pixels` pixels.
struct TileResult {
  float* out;
  int64_t line, pixel, lines, pixels;
  const float* bias;  // null: none
  bool add;           // to what is there
};

struct WinogradKernels {
  /// `vectors` vectors of channels of 36 pixels, of each from pixel[i] on: each of the 36 transformed ones is written
  /// to out + i * apart, in the order given, to `row`.
  void (*image)(const float* const* pixel, int64_t vectors, float* out, int64_t apart, VectorOrder order, int64_t row);
  /// The same of the gradients of 4x4 results (16 pixels).
  void (*gradient)(const float* const* pixel, int64_t vectors, float* out, int64_t apart, VectorOrder order,
                   int64_t row);
  /// Of the 9 vectors at filter, in this order or backwards, the 36 that go to out + i * apart.
  void (*filter)(const float* filter, bool backwards, float* out, int64_t apart);
  /// From 36 products, `apart` floats from each other, of `vectors` vectors, the results of a tile.
  void (*result)(const float* products, int64_t apart, int64_t vectors, const TileResult& to);
  /// From 36 products of a vector, the 9 vectors of a gradient of filters.
  void (*filter_gradient)(const float* products, int64_t apart, float* to);
};

/// The table of the instruction set that kernels() chose.
const WinogradKernels& winograd_kernels();

#define CHAINER_DECLARE_FILL(ISA)         \
  namespace ISA {                         \
  void fill_winograd(WinogradKernels& k); \
  }
CHAINER_DECLARE_FILL(baseline)
CHAINER_DECLARE_FILL(avx2)
CHAINER_DECLARE_FILL(avx512)
#undef CHAINER_DECLARE_FILL

}  // namespace chainer::cpu
