// SPDX-License-Identifier: MIT
// The kernels for images: pooling, means and variances of channels, convolutions with few channels. Separate from the
// table of the other kernels, so that a change here recompiles only these.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// The largest numbers of rows and columns for moments_rows(); they fit in the first-level cache.
inline constexpr int64_t kMomentRows = 64, kMomentKeys = 64;
/// The number of the kernels for means, variances and their gradients that read bfloat16 and compute in float32, with
/// AVX-512 only; null elsewhere. Those for float32 and float64 have the numbers of their compute types.
inline constexpr int kBfloatMoments = 2;

/// A line of pixels along the last axis of an image, and the windows that cover it: the windows at `rows` positions
/// along the other axes, of which numbers [first[x], end[x]) cover pixel x.
struct PoolLine {
  int64_t length, rows;
  const int64_t* window;  ///< per position: its first window in the image
  const int32_t* place;   ///< per position: where the line begins in its windows
  const int64_t* inside;  ///< per position: the elements of its windows inside the image, without the last axis
  const int64_t *first, *end, *covered;  ///< per pixel; `covered`, per window: its elements along the last axis
  int64_t windows, stride, pad;          ///< number of windows of the image; stride and padding along the last axis
  bool apart;                            ///< true if each pixel is under at most one window, in sequence
  bool by_inside;                        ///< true if a window's weight is one over its elements inside the image
  double weight;                         ///< the weight otherwise
};

/// The floats per vector in convolutions with few channels.
inline constexpr int kFewLanes = 16;
/// Returns the number of vectors after which the channels of up to eight `results` have the same lanes again.
constexpr int64_t few_vectors(int64_t results) { return results == 6 ? 3 : results % 2 ? results : 1; }

/// A convolution with stride one whose result has few channels, of one image or some of its lines. out, channels-last,
/// has `out_lines` lines of `out_length` floats (pixels times `results`). `lines` holds the lines of a channel in turn,
/// with each pixel of the padded image repeated `results` times, once for each channel of the result; after each line
/// is room for few_vectors() vectors. Weights repeat along the vectors like the results:
/// [channel][row][column][vectors].
struct FewChannelsForward {
  const float *lines, *weights, *bias;
  float* out;
  int64_t channels, channel_step, line_step, rows, columns, results, vectors, out_lines, out_length;
};

/// The gradient of such a convolution with respect to an image with few channels. Each pixel of gy (`results` channels,
/// channels-last), times the weights [result][row][line of a window: columns times channels, zero-padded to whole
/// vectors], is added to the lines of its window in `plane`, the padded image with room for a window's vectors after
/// each line. A line of a window has at most three vectors.
struct FewChannelsGradient {
  const float *gy, *weights;
  float* plane;
  int64_t plane_step, results, rows, columns, channels, out_lines, out_columns;
};

/// Each kernel for float32 and float64, in this order (kF32 and kF64 of Compute).
struct ImageKernels {
  /// For windows of `count` elements: the largest element and, if `index` is given, its place[e]; the sum times
  /// `weight`. NaN counts as larger than any number. With windows == 1, element e of result i < n is x[at[e] + i *
  /// step]. Otherwise step is one, and element e of channel i < n of window o is x[at[e] + o * apart + i].
  void (*pool_max[2])(void* y, int32_t* index, const void* x, const int64_t* at, const int32_t* place, int64_t count,
                      int64_t n, int64_t step, int64_t windows, int64_t apart);
  void (*pool_sum[2])(void* y, const void* x, const int64_t* at, int64_t count, double weight, int64_t n, int64_t step,
                      int64_t windows, int64_t apart);
  /// For every pixel of a line and each of n channels: the sum of gy over the windows that cover the pixel and whose
  /// index is its position; or the weighted sum over all of them.
  void (*pool_scatter[2])(void* gx, const void* gy, const int32_t* index, const PoolLine& line, int64_t n);
  /// For one channel and n adjacent windows of k elements along a line that begins at `place` in them: gy at the
  /// element whose position is the window's index, otherwise zero.
  void (*pool_scatter_row[2])(void* gx, const void* gy, const int32_t* index, int32_t place, int64_t n, int64_t k);
  void (*pool_spread[2])(void* gx, const void* gy, const PoolLine& line, int64_t n);
  /// For up to kMomentRows rows of `keys` (at most kMomentKeys) columns: the mean of each column, and the sum of
  /// squared differences from it. moments_run: the same for one run of numbers.
  void (*moments_rows[3])(double* mean, double* squares, const void* x, int64_t rows, int64_t keys, int64_t stride);
  void (*moments_run[3])(double* mean, double* squares, const void* x, int64_t n);
  /// Adds the sums of gy and of gy (x - mean) per column.
  void (*products_rows[3])(double* total, double* along, const void* gy, const void* x, const double* mean,
                           int64_t rows, int64_t keys, int64_t stride);
  void (*products_run[3])(double* total, double* along, const void* gy, const void* x, double mean, int64_t n);
  /// gx = a (gy - b) - c (x - mean), with the numbers of a column, in the type of the computation, or of a run.
  void (*combine_rows[3])(void* gx, const void* gy, const void* x, const void* mean, const void* a, const void* b,
                          const void* c, int64_t rows, int64_t keys);
  void (*combine_run[3])(void* gx, const void* gy, const void* x, double mean, double a, double b, double c, int64_t n);
  /// Convolutions with few channels, float32 only; null if the instruction set does not benefit.
  void (*few_forward)(const FewChannelsForward& f);
  /// Writes each of some pixels, at distance `step`, `count` times; writes up to eight floats after the last one.
  void (*few_spread)(float* to, const float* from, int64_t pixels, int64_t step, int64_t count);
  void (*few_gradient)(const FewChannelsGradient& f);
};

/// Returns the table of the instruction set that kernels() has selected.
const ImageKernels& image_kernels();

CHAINER_DECLARE_FILL(fill_pooling, ImageKernels)
CHAINER_DECLARE_FILL(fill_moments, ImageKernels)
CHAINER_DECLARE_FILL(fill_few_channels, ImageKernels)

}  // namespace chainer::cpu
