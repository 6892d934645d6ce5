// The table of inner loops on images: pooling, means and variances of channels, convolutions of few channels. Apart
// from the table of the other kernels, so that a change here compiles only these again.
#pragma once
#include <cstdint>

#include "chainer/backend/cpu/kernels/instruction_sets.h"

namespace chainer::cpu {

/// How many rows and columns moments_rows() takes at most: what stays in the first-level cache.
inline constexpr int64_t kMomentRows = 64, kMomentKeys = 64;

/// A line of pixels along the last axis of an image, and the windows over it: those of `rows` positions along the other
/// axes, and of them numbers first[x] to before end[x] over pixel x.
struct PoolLine {
  int64_t length, rows;
  const int64_t* window;  ///< of each position: its first window among the image's
  const int32_t* place;   ///< of each position: where the line begins in its windows
  const int64_t*
      inside;  ///< of each position: how many elements of its windows are in the image, but for the last axis
  const int64_t *first, *end, *covered;  ///< of pixels; `covered`, of windows: the elements along the last axis
  int64_t windows, stride, pad;          ///< windows of the whole image; along the last axis
  bool apart;      ///< whether each pixel is under one window at most, the next stride under the next
  bool by_inside;  ///< whether a window's weight is one over its elements in the image
  double weight;   ///< the weight otherwise
};

/// Floats in a vector of the convolutions of few channels.
inline constexpr int kFewLanes = 16;
/// After how many vectors the channels of up to eight `results` lie in the lanes as before.
constexpr int64_t few_vectors(int64_t results) { return results == 6 ? 3 : results % 2 ? results : 1; }

/// A convolution with stride one that gives few channels, of one image or some lines of it: out, channels last, has
/// `out_lines` lines of `out_length` floats (pixels times `results`). In `lines`, line after line of a channel, each
/// pixel of the padded image stands `results` times, so that it lies under each channel of the result; behind each line
/// is room for few_vectors() vectors. Weights repeat along the vectors as the results do:
/// [channel][row][column][vectors].
struct FewChannelsForward {
  const float *lines, *weights, *bias;
  float* out;
  int64_t channels, channel_step, line_step, rows, columns, results, vectors, out_lines, out_length;
};

/// The gradient of such a convolution by an image of few channels: each pixel of gy (`results` channels, last), times
/// the weights [result][row][a window's line: columns times channels, filled up with zeros to whole vectors], is added
/// to the lines of its window in `plane`, the padded image with room for a window's vectors behind each line. A
/// window's line has at most three vectors.
struct FewChannelsGradient {
  const float *gy, *weights;
  float* plane;
  int64_t plane_step, results, rows, columns, channels, out_lines, out_columns;
};

/// Each kernel for float32 and for float64, in this order (Compute's kF32 and kF64).
struct ImageKernels {
  /// Windows of `count` elements each: the largest and its place[e], where `index` is wanted; their sums times
  /// `weight`. NaN is larger than any number. With windows == 1, element e of result i < n is x[at[e] + i * step];
  /// otherwise step is one, and element e of channel i < n of window o is x[at[e] + o * apart + i].
  void (*pool_max[2])(void* y, int32_t* index, const void* x, const int64_t* at, const int32_t* place, int64_t count,
                      int64_t n, int64_t step, int64_t windows, int64_t apart);
  void (*pool_sum[2])(void* y, const void* x, const int64_t* at, int64_t count, double weight, int64_t n, int64_t step,
                      int64_t windows, int64_t apart);
  /// Of every pixel of a line and each of n channels, the sum of gy of windows over it, where index is the pixel's
  /// place in the window; or weighted.
  void (*pool_scatter[2])(void* gx, const void* gy, const int32_t* index, const PoolLine& line, int64_t n);
  void (*pool_spread[2])(void* gx, const void* gy, const PoolLine& line, int64_t n);
  /// Of up to kMomentRows rows of `keys` (at most kMomentKeys) columns: each column's mean and sum of squared distances
  /// from it. Of one run: the same numbers of all of it.
  void (*moments_rows[2])(double* mean, double* squares, const void* x, int64_t rows, int64_t keys, int64_t stride);
  void (*moments_run[2])(double* mean, double* squares, const void* x, int64_t n);
  /// Adds the columns' sums of gy and of gy (x - mean).
  void (*products_rows[2])(double* total, double* along, const void* gy, const void* x, const double* mean,
                           int64_t rows, int64_t keys, int64_t stride);
  void (*products_run[2])(double* total, double* along, const void* gy, const void* x, double mean, int64_t n);
  /// gx = a (gy - b) - c (x - mean) with a column's numbers, which are of the type of x, or with those of a run.
  void (*combine_rows[2])(void* gx, const void* gy, const void* x, const void* mean, const void* a, const void* b,
                          const void* c, int64_t rows, int64_t keys);
  void (*combine_run[2])(void* gx, const void* gy, const void* x, double mean, double a, double b, double c, int64_t n);
  /// Convolutions of few channels, float32 only; null where the instruction set has no use for them.
  void (*few_forward)(const FewChannelsForward& f);
  /// Writes each of some pixels, which lie `step` apart, `count` times, and up to eight floats behind the last one.
  void (*few_spread)(float* to, const float* from, int64_t pixels, int64_t step, int64_t count);
  void (*few_gradient)(const FewChannelsGradient& f);
};

/// The table of the instruction set that kernels() chose.
const ImageKernels& image_kernels();

CHAINER_DECLARE_FILL(fill_pooling, ImageKernels)
CHAINER_DECLARE_FILL(fill_moments, ImageKernels)
CHAINER_DECLARE_FILL(fill_few_channels, ImageKernels)

}  // namespace chainer::cpu
