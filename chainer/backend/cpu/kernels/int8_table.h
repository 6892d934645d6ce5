// SPDX-License-Identifier: MIT
// The kernels for products of numbers of eight bits, whose sums are exact in int32 (modulo 2^32).
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// A panel has 16 columns. Groups of four elements along the inner axis are consecutive, then the columns: byte
/// (l / 4 * 16 + j) * 4 + l % 4 is element l of column j. The inner axis is padded with zeros to a multiple of 64.
inline constexpr int64_t kInt8Columns = 16, kInt8Inner = 64, kInt8Rows = 32;

/// sums(r, j) = sum over l of a(r, l) b(l, j) for at most kInt8Rows rows. Each row of a has 64 * steps consecutive
/// elements; those at padded positions of b, from `inner` on, have any values. Panels of b have the distance b_panel.
struct Int8Product {
  const uint8_t* a;
  int64_t a_row, rows;
  const int8_t* b;
  int64_t b_panel, panels, steps, inner;
  int32_t* sums;
  int64_t sums_row;
};

/// What becomes of n sums of a row: (sum + offset[j]) * scale[j], rounded to the nearest integer (half to even), plus
/// zero, limited to [low, high]. Without rounding for floats, where zero is not added. The three arrays can be read up
/// to the next multiple of 16 elements.
struct Int8Results {
  const int32_t* sums;
  const int32_t* offset;
  const float* scale;
  int64_t n;
  float zero, low, high;
};

/// Rows of bytes that take the place of Int8Product::sums. offset and scale are those of the first panel.
struct Int8Bytes {
  const int32_t* offset;
  const float* scale;
  int64_t n;
  float zero, low, high;
  uint8_t* out;
  int64_t out_row;
};

/// sums[j] = the sum over all taps of x(tap, j) weight(tap, j), for n channels. taps[t] are the channels of a pixel.
/// Weights are in pairs of taps: of channel j for taps 2 p and 2 p + 1 they are weights[(p * padded + j) * 2] and the
/// next; an odd tap at the end has the weight 0 and any pixel. `padded` is n up to the next multiple of 16, and sums
/// has so many elements.
struct Int8Depthwise {
  const uint8_t* const* taps;
  const int16_t* weights;
  int64_t pairs, n, padded;
  int32_t* sums;
};

/// 64 channels of a convolution with a filter for each channel, or fewer at the end: `n` of each pixel, from `first`
/// on. Taps are in fours; those of tap 4 q + t are weights[q * 256 + u * 64 + d * 4 + t] for the channel 16 * (d / 4) +
/// 4 * u + d % 4, whose offset and scale are at u * 16 + d. Results are bytes as of Int8Results.
struct Int8Depthwise64 {
  int64_t first, n;
  bool flip;  ///< flips the highest bit of each x
  const int8_t* weights;
  const int32_t* offset;
  const float* scale;
  float zero, low, high;
};
/// Pixels of a line of an image under 3 columns of a window: those of column k are fours [4 k, 4 k + 4).
struct Int8Line {
  const uint8_t* rows[4];  ///< the line's pixel 0 for each tap of a column
  const uint8_t* zeros;    ///< a pixel outside of the image
  int64_t width, pixel;    ///< of the image; bytes from one pixel to the next, also of the result
  int64_t left, stride;    ///< the first column under the window of result 0; 1 or 2
  uint8_t* out;
  int64_t count;  ///< results
};

struct Int8Kernels {
  const char* name;
  void (*product)(const Int8Product& p);
  // nullptr: the product and Int8Loops::to_bytes, or Int8Loops::depthwise, are as fast.
  void (*product_to_bytes)(const Int8Product& p, const Int8Bytes& bytes) = nullptr;
  void (*depthwise)(const Int8Depthwise64& d, const uint8_t* const* taps, int64_t fours, uint8_t* out) = nullptr;
  void (*depthwise_line)(const Int8Depthwise64& d, const Int8Line& line) = nullptr;
};
/// The kernels that every instruction set has.
struct Int8Loops {
  void (*product)(const Int8Product& p);
  void (*to_bytes)(const Int8Results& r, uint8_t* out);  ///< int8 in two's complement, too
  void (*to_floats)(const Int8Results& r, float* out);
  /// out[i] = x[i] / scale, rounded and limited likewise.
  void (*quantize)(const float* x, float scale, float zero, float low, float high, uint8_t* out, int64_t n);
  /// out[i] = ((a[i] - a_zero) a_scale + (b[i] - b_zero) b_scale) / scale, rounded and limited likewise.
  void (*add)(const struct Int8Pair& s, const uint8_t* a, const uint8_t* b, uint8_t* out, int64_t n);
  /// out[i] = ((a[i] - a_zero) a_scale) ((b[i] - b_zero) b_scale) / scale, rounded and limited likewise.
  void (*multiply)(const struct Int8Pair& s, const uint8_t* a, const uint8_t* b, uint8_t* out, int64_t n);
  /// out[i] = table[x[i]], for a table of 256 elements.
  void (*look_up)(const uint8_t* table, const uint8_t* x, uint8_t* out, int64_t n);
  /// out[j] = the larger of out[j] and x[j], of uint8 or int8.
  void (*larger[2])(uint8_t* out, const uint8_t* x, int64_t n);
  /// sums[j] += x[j], of uint8 or int8.
  void (*accumulate[2])(int32_t* sums, const uint8_t* x, int64_t n);
  void (*depthwise[2])(const Int8Depthwise& d);  ///< x of uint8 or int8
};
/// The numbers of an addition or multiplication; is_signed says which operands are int8.
struct Int8Pair {
  float a_zero, a_scale, b_zero, b_scale, scale, zero, low, high;
  bool a_is_signed, b_is_signed;
};

/// Returns the best kernels of this processor that CHAINER_ISA allows.
const Int8Kernels& int8_kernels();
/// Returns all kernels that this processor can run, for tests; the first is int8_kernels().
const Int8Kernels* all_int8_kernels(int& count);
/// Returns the table of the instruction set that kernels() has selected.
const Int8Loops& int8_loops();

CHAINER_DECLARE_FILL(fill_int8, Int8Loops)

// Each is compiled for the instructions that its namespace is named after.
namespace tiles {
void int8_product(const Int8Product& p);
}
namespace dots {
void int8_product(const Int8Product& p);
void int8_product_to_bytes(const Int8Product& p, const Int8Bytes& bytes);
void int8_depthwise(const Int8Depthwise64& d, const uint8_t* const* taps, int64_t fours, uint8_t* out);
void int8_depthwise_line(const Int8Depthwise64& d, const Int8Line& line);
}  // namespace dots

}  // namespace chainer::cpu
