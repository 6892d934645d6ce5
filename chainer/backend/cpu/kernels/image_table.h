// The table of inner loops on images: pooling, and means and variances of channels. Apart from the table of the other
// kernels, so that a change here compiles only these again.
#pragma once
#include <cstdint>

namespace chainer::cpu {

/// How many rows and columns moments_rows() takes at most: what stays in the first-level cache.
inline constexpr int64_t kMomentRows = 64, kMomentKeys = 64;

/// Each kernel for float32 and for float64, in this order (Compute's kF32 and kF64).
struct ImageKernels {
  /// Windows of `count` elements each, element e of window i at x[at[e] + i * step]: the largest of each and its
  /// place[e], where `index` is wanted; their sums times `weight`. NaN is larger than any number.
  void (*pool_max[2])(void* y, int32_t* index, const void* x, const int64_t* at, const int32_t* place, int64_t count,
                      int64_t n, int64_t step);
  void (*pool_sum[2])(void* y, const void* x, const int64_t* at, int64_t count, double weight, int64_t n, int64_t step);
  /// gx[i] = the sum over e of gy[at[e] + i], where index[at[e] + i] is place[e]; or of weight[e] gy[at[e] + i].
  void (*pool_scatter[2])(void* gx, const void* gy, const int32_t* index, const int64_t* at, const int32_t* place,
                          int64_t count, int64_t n);
  void (*pool_spread[2])(void* gx, const void* gy, const int64_t* at, const double* weight, int64_t count, int64_t n);
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
};

/// The table of the instruction set that kernels() chose.
const ImageKernels& image_kernels();

#define CHAINER_DECLARE_FILL(ISA)     \
  namespace ISA {                     \
  void fill_pooling(ImageKernels& k); \
  void fill_moments(ImageKernels& k); \
  }
CHAINER_DECLARE_FILL(baseline)
CHAINER_DECLARE_FILL(avx2)
CHAINER_DECLARE_FILL(avx512)
#undef CHAINER_DECLARE_FILL

}  // namespace chainer::cpu
