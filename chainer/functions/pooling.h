// SPDX-License-Identifier: MIT
// F: spatial pooling (manual: "Spatial pooling"). Images are (N, C, spatial...) with one to eight spatial axes. Sizes,
// strides and paddings are one number for all of these axes or one for each; the default stride is the size of the
// window. Images with channels innermost in memory give results of the same order.
// Errors: every function throws InvalidType if x is not of a floating dtype or has another number of axes; ValueError
// if sizes or strides are not positive, paddings are negative or lists have another length; DimensionError if no window
// fits into the image. See functions.h for what all functions share.
#pragma once
#include <optional>

#include "chainer/array/per_axis.h"
#include "chainer/autograd/variable.h"
#include "chainer/routines/im2col.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// Options of average_pooling_nd(), average_pooling_1d() and average_pooling_3d().
struct AveragePoolingOptions {
  PerAxis stride = {};
  PerAxis pad = 0;
  std::optional<double> pad_value = 0;  ///< 0: padding counts as zeros; nullopt: the mean leaves padding out
};
/// Computes the mean of each window of x (N, C, spatial...), any number of spatial axes: (N, C, out...) with
/// out = (in + 2 pad - ksize) / stride + 1, rounded down. Throws ValueError unless pad_value is 0 or nullopt.
///   F::average_pooling_nd(array({1.f, 3.f, 5.f, 9.f}).reshape({1, 1, 4}), 2)  // [[[2, 7]]]
inline constexpr struct AveragePoolingND {
  static constexpr std::string_view name = "average_pooling_nd";
  Variable operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(average_pooling_nd, ".stride, .pad, .pad_value", const Variable&, const PerAxis&);
} average_pooling_nd{};
/// average_pooling_nd() of x (N, C, length).
///   F::average_pooling_1d(ones({1, 1, 2}), 2, {.stride = 1, .pad = 1})  // [[[0.5, 1, 0.5]]]
inline constexpr struct AveragePooling1D {
  static constexpr std::string_view name = "average_pooling_1d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(average_pooling_1d, ".stride, .pad, .pad_value", const Variable&, const PerAxis&);
} average_pooling_1d{};
/// average_pooling_nd() of x (N, C, depth, height, width).
///   F::average_pooling_3d(ones({1, 2, 4, 4, 4}), 2)  // shape (1, 2, 2, 2, 2)
inline constexpr struct AveragePooling3D {
  static constexpr std::string_view name = "average_pooling_3d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(average_pooling_3d, ".stride, .pad, .pad_value", const Variable&, const PerAxis&);
} average_pooling_3d{};

/// Options of average_pooling_2d().
struct AveragePooling2DOptions {
  PerAxis stride = {};
  PerAxis pad = 0;  ///< counts as zeros
};
/// Computes the mean of each window of x (N, C, height, width), as average_pooling_nd(); padding counts as zeros.
///   F::average_pooling_2d(ones({1, 2, 6, 4}), {3, 2})  // shape (1, 2, 2, 2)
inline constexpr struct AveragePooling2D {
  static constexpr std::string_view name = "average_pooling_2d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const AveragePooling2DOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(average_pooling_2d, ".stride, .pad", const Variable&, const PerAxis&);
} average_pooling_2d{};

/// Options of max_pooling_nd() and its variants with a fixed number of axes.
struct MaxPoolingOptions {
  PerAxis stride = {};
  PerAxis pad = 0;
  bool cover_all = true;            ///< windows extend past the end until every element is in one
  Array* return_indices = nullptr;  ///< receives the position of each result in its window, in C order (int64)
};
/// Computes the maximum of each window of x (N, C, spatial...), any number of spatial axes; NaN if the window holds a
/// NaN. Padding is -inf. The result is (N, C, out...) with out = (in + 2 pad - ksize) / stride + 1, rounded up, or down
/// without cover_all.
///   F::max_pooling_nd(array({1.f, 3.f, 5.f, 2.f, 4.f}).reshape({1, 1, 5}), 2)  // [[[3, 5, 4]]]
inline constexpr struct MaxPoolingND {
  static constexpr std::string_view name = "max_pooling_nd";
  Variable operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(max_pooling_nd, ".stride, .pad, .cover_all, .return_indices", const Variable&,
                             const PerAxis&);
} max_pooling_nd{};
/// max_pooling_nd() of x (N, C, length).
///   F::max_pooling_1d(array({1.f, 3.f, 5.f}).reshape({1, 1, 3}), 2, {.cover_all = false})  // [[[3]]]
inline constexpr struct MaxPooling1D {
  static constexpr std::string_view name = "max_pooling_1d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(max_pooling_1d, ".stride, .pad, .cover_all, .return_indices", const Variable&,
                             const PerAxis&);
} max_pooling_1d{};
/// max_pooling_nd() of x (N, C, height, width).
///   F::max_pooling_2d(ones({1, 2, 7, 7}), 3, {.stride = 2})  // shape (1, 2, 3, 3)
inline constexpr struct MaxPooling2D {
  static constexpr std::string_view name = "max_pooling_2d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(max_pooling_2d, ".stride, .pad, .cover_all, .return_indices", const Variable&,
                             const PerAxis&);
} max_pooling_2d{};
/// max_pooling_nd() of x (N, C, depth, height, width).
///   F::max_pooling_3d(ones({1, 2, 4, 4, 4}), {2, 2, 1})  // shape (1, 2, 2, 2, 4)
inline constexpr struct MaxPooling3D {
  static constexpr std::string_view name = "max_pooling_3d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(max_pooling_3d, ".stride, .pad, .cover_all, .return_indices", const Variable&,
                             const PerAxis&);
} max_pooling_3d{};

/// Options of unpooling_nd() and its variants with a fixed number of axes.
struct UnpoolingOptions {
  PerAxis stride = {};
  PerAxis pad = 0;
  PerAxis outsize = {};   ///< the spatial lengths of the result, if several are possible
  bool cover_all = true;  ///< the option of the pooling that is inverted: with it the result may be shorter
};
/// Copies every element of x (N, C, spatial...) to all positions of its window; where windows overlap, the copies are
/// added. The result is (N, C, out...) with out = stride (in - 1) + ksize - 2 pad, less stride - 1 with cover_all, or
/// outsize. Throws DimensionError if pooling images of outsize would not give the lengths of x.
///   F::unpooling_nd(array({1.f, 2.f}).reshape({1, 1, 2}), 2, {.cover_all = false})  // [[[1, 1, 2, 2]]]
inline constexpr struct UnpoolingND {
  static constexpr std::string_view name = "unpooling_nd";
  Variable operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(unpooling_nd, ".stride, .pad, .outsize, .cover_all", const Variable&, const PerAxis&);
} unpooling_nd{};
/// unpooling_nd() of x (N, C, length).
///   F::unpooling_1d(array({1.f, 2.f}).reshape({1, 1, 2}), 2)  // [[[1, 1, 2]]]
inline constexpr struct Unpooling1D {
  static constexpr std::string_view name = "unpooling_1d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(unpooling_1d, ".stride, .pad, .outsize, .cover_all", const Variable&, const PerAxis&);
} unpooling_1d{};
/// unpooling_nd() of x (N, C, height, width).
///   F::unpooling_2d(ones({1, 2, 3, 3}), 2, {.outsize = {6, 5}})  // shape (1, 2, 6, 5)
inline constexpr struct Unpooling2D {
  static constexpr std::string_view name = "unpooling_2d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(unpooling_2d, ".stride, .pad, .outsize, .cover_all", const Variable&, const PerAxis&);
} unpooling_2d{};
/// unpooling_nd() of x (N, C, depth, height, width).
///   F::unpooling_3d(ones({1, 2, 3, 3, 3}), 2, {.cover_all = false})  // shape (1, 2, 6, 6, 6)
inline constexpr struct Unpooling3D {
  static constexpr std::string_view name = "unpooling_3d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(unpooling_3d, ".stride, .pad, .outsize, .cover_all", const Variable&, const PerAxis&);
} unpooling_3d{};

/// Copies every element of x (N, C, height, width) to the position in its window that `indexes` (integers, in the shape
/// of x) names, as max_pooling_2d() returns them; zero elsewhere. The result's shape is that of unpooling_2d(). Throws
/// DimensionError for indexes of another shape or dtype, IndexError for an index outside of a window.
///   F::upsampling_2d(ones({1, 1, 1, 2}), array({3, 0}).reshape({1, 1, 1, 2}), 2, {.outsize = {2, 4}})
inline constexpr struct Upsampling2D {
  static constexpr std::string_view name = "upsampling_2d";
  Variable operator()(const Variable& x, const Array& indexes, const PerAxis& ksize,
                      const UnpoolingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(upsampling_2d, ".stride, .pad, .outsize, .cover_all", const Variable&, const Array&,
                             const PerAxis&);
} upsampling_2d{};

/// How spatial_pyramid_pooling_2d() reduces a bin.
enum class PyramidPooling { max };
/// Applies max_pooling_2d() to x (N, C, height, width) with 1, 4, 16, ... 4^(pyramid_height - 1) bins and concatenates
/// the results: (N, C (4^pyramid_height - 1) / 3, 1, 1) for images of any size that the bins divide with little
/// padding. Throws ValueError unless pyramid_height is in 1 ... 30. He et al., arXiv:1406.4729.
///   F::spatial_pyramid_pooling_2d(ones({2, 3, 8, 8}), 2)  // shape (2, 15, 1, 1)
inline constexpr struct SpatialPyramidPooling2D {
  static constexpr std::string_view name = "spatial_pyramid_pooling_2d";
  Variable operator()(const Variable& x, int64_t pyramid_height, PyramidPooling pooling = PyramidPooling::max) const;
} spatial_pyramid_pooling_2d{};

/// Computes the maxima of regions of x (N, C, height, width), divided into outh x outw bins: (R, C, outh, outw). `rois`
/// (R, 5) holds the index of an image and x_min, y_min, x_max, y_max, scaled by spatial_scale and rounded, both ends
/// included. An empty bin gives zero. Throws ValueError unless sizes and scale are positive, the index is in
/// 0 ... N - 1 and corners are finite. Girshick, arXiv:1504.08083.
///   F::roi_pooling_2d(ones({1, 2, 6, 6}), array({{0.f, 0.f, 0.f, 3.f, 3.f}}), 2, 2, 1)  // shape (1, 2, 2, 2)
inline constexpr struct RoiPooling2D {
  static constexpr std::string_view name = "roi_pooling_2d";
  Variable operator()(const Variable& x, const Variable& rois, int64_t outh, int64_t outw, double spatial_scale) const;
} roi_pooling_2d{};

/// Computes the maxima of regions of x (N, C, height, width), divided into bins: (R, C, outsize.h, outsize.w). `rois`
/// (R, 4) holds y_min, x_min, y_max, x_max, scaled by spatial_scale and rounded, without the pixels of the end; a
/// region is at least one pixel high and wide. `roi_indices` (R) holds the indices of the images. An empty bin gives
/// zero, as in Chainer 6; Chainer 7 gives minus infinity. Throws ValueError unless sizes and scale are positive and
/// corners finite, IndexError for an image that is not in 0 ... N - 1. Girshick, arXiv:1504.08083.
///   const Array x = array({{1.f, 2.f, 9.f}, {4.f, 3.f, 9.f}}).reshape({1, 1, 2, 3});
///   F::roi_max_pooling_2d(x, array({{0.f, 0.f, 2.f, 2.f}}), array({0}), 1, 1)  // 4
inline constexpr struct RoiMaxPooling2D {
  static constexpr std::string_view name = "roi_max_pooling_2d";
  Variable operator()(const Variable& x, const Variable& rois, const Variable& roi_indices, IntPair outsize,
                      double spatial_scale) const;
} roi_max_pooling_2d{};

/// Computes the means of regions of x (N, C, height, width), divided into bins: (R, C, outsize.h, outsize.w), with
/// regions, bins and exceptions as for roi_max_pooling_2d(). As in Chainer 6.
///   const Array x = array({{1.f, 2.f, 9.f}, {4.f, 3.f, 9.f}}).reshape({1, 1, 2, 3});
///   F::roi_average_pooling_2d(x, array({{0.f, 0.f, 2.f, 2.f}}), array({0}), 1, 1)  // 2.5
inline constexpr struct RoiAveragePooling2D {
  static constexpr std::string_view name = "roi_average_pooling_2d";
  Variable operator()(const Variable& x, const Variable& rois, const Variable& roi_indices, IntPair outsize,
                      double spatial_scale) const;
} roi_average_pooling_2d{};

/// Options of roi_average_align_2d() and roi_max_align_2d().
struct RoiAverageAlign2DOptions {
  std::optional<IntPair> sampling_ratio = {};  ///< points of a bin along each axis; by default one for each pixel
};
/// Computes the means of bilinearly interpolated points of regions of x (N, C, height, width), divided into bins:
/// (R, C, outsize.h, outsize.w). `rois` (R, 4) holds y_min, x_min, y_max, x_max, scaled by spatial_scale without
/// rounding, and `roi_indices` (R) the indices of the images. Throws ValueError unless sizes, ratio and scale are
/// positive and corners finite, IndexError for an image that is not in 0 ... N - 1. He et al., arXiv:1703.06870.
///   const Array rois = array({{0.f, 0.f, 4.f, 4.f}});
///   F::roi_average_align_2d(ones({1, 2, 6, 6}), rois, array({0}), 2, 1)  // shape (1, 2, 2, 2)
inline constexpr struct RoiAverageAlign2D {
  static constexpr std::string_view name = "roi_average_align_2d";
  Variable operator()(const Variable& x, const Variable& rois, const Variable& roi_indices, IntPair outsize,
                      double spatial_scale, const RoiAverageAlign2DOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(roi_average_align_2d, ".sampling_ratio", const Variable&, const Variable&, const Variable&,
                             IntPair, double);
} roi_average_align_2d{};

/// Computes the maxima of bilinearly interpolated points of regions, with the points, shapes and exceptions of
/// roi_average_align_2d(). A bin without a point in the image gives zero (in Chainer 7 minus infinity).
///   const Array x = array({1.f, 3.f, 2.f}).reshape({1, 1, 1, 3}), rois = array({{0.f, 0.f, 1.f, 3.f}});
///   F::roi_max_align_2d(x, rois, array({0}), {1, 2}, 1, {.sampling_ratio = 1})  // [[[[2.5, 2]]]]
inline constexpr struct RoiMaxAlign2D {
  static constexpr std::string_view name = "roi_max_align_2d";
  Variable operator()(const Variable& x, const Variable& rois, const Variable& roi_indices, IntPair outsize,
                      double spatial_scale, const RoiAverageAlign2DOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(roi_max_align_2d, ".sampling_ratio", const Variable&, const Variable&, const Variable&,
                             IntPair, double);
} roi_max_align_2d{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
