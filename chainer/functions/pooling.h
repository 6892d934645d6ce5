// F: spatial pooling (manual: "Spatial pooling"). Images are (N, C, spatial...) with one to eight spatial axes. Sizes,
// strides and paddings are one number for all of these axes or one for each; the stride is the window's size where none
// is given. Images whose channels lie next to each other in memory give results of that kind.
#pragma once
#include <optional>

#include "chainer/array/per_axis.h"
#include "chainer/autograd/variable.h"
#include "chainer/routines/im2col.h"

namespace chainer {
namespace functions {

/// Options of average_pooling_nd() and its fixed ranks.
struct AveragePoolingOptions {
  PerAxis stride = {};
  PerAxis pad = 0;
  std::optional<double> pad_value = 0;  ///< 0: padding counts as zeros; nullopt: the mean is over the image only
};
/// The mean of each window of any number of axes. A window that no image fits into is a DimensionError.
///   F::average_pooling_nd(array({1.f, 3.f, 5.f, 9.f}).reshape({1, 1, 4}), 2)  // [[[2, 7]]]
inline constexpr struct AveragePoolingND {
  static constexpr std::string_view name = "average_pooling_nd";
  Variable operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& options = {}) const;
} average_pooling_nd{};
/// average_pooling_nd() of x (N, C, length).
///   F::average_pooling_1d(ones({1, 1, 2}), 2, {.stride = 1, .pad = 1})  // [[[0.5, 1, 0.5]]]
inline constexpr struct AveragePooling1D {
  static constexpr std::string_view name = "average_pooling_1d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& options = {}) const;
} average_pooling_1d{};
/// average_pooling_nd() of x (N, C, depth, height, width).
///   F::average_pooling_3d(ones({1, 2, 4, 4, 4}), 2)  // shape (1, 2, 2, 2, 2)
inline constexpr struct AveragePooling3D {
  static constexpr std::string_view name = "average_pooling_3d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const AveragePoolingOptions& options = {}) const;
} average_pooling_3d{};

/// Options of average_pooling_2d().
struct AveragePooling2DOptions {
  PerAxis stride = {};
  PerAxis pad = 0;  ///< counts as zeros
};
/// The mean of each window of x (N, C, height, width).
///   F::average_pooling_2d(ones({1, 2, 6, 4}), {3, 2})  // shape (1, 2, 2, 2)
inline constexpr struct AveragePooling2D {
  static constexpr std::string_view name = "average_pooling_2d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const AveragePooling2DOptions& options = {}) const;
} average_pooling_2d{};

/// Options of max_pooling_nd() and its fixed ranks.
struct MaxPoolingOptions {
  PerAxis stride = {};
  PerAxis pad = 0;
  bool cover_all = true;            ///< windows reach over the end until every element is under one
  Array* return_indices = nullptr;  ///< receives, for each result, its place in the window in C order (int64)
};
/// The largest element of each window of any number of axes; NaN where there is one. Padding is -inf.
///   F::max_pooling_nd(array({1.f, 3.f, 5.f, 2.f, 4.f}).reshape({1, 1, 5}), 2)  // [[[3, 5, 4]]]
inline constexpr struct MaxPoolingND {
  static constexpr std::string_view name = "max_pooling_nd";
  Variable operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& options = {}) const;
} max_pooling_nd{};
/// max_pooling_nd() of x (N, C, length).
///   F::max_pooling_1d(array({1.f, 3.f, 5.f}).reshape({1, 1, 3}), 2, {.cover_all = false})  // [[[3]]]
inline constexpr struct MaxPooling1D {
  static constexpr std::string_view name = "max_pooling_1d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& options = {}) const;
} max_pooling_1d{};
/// max_pooling_nd() of x (N, C, height, width).
///   F::max_pooling_2d(ones({1, 2, 7, 7}), 3, {.stride = 2})  // shape (1, 2, 3, 3)
inline constexpr struct MaxPooling2D {
  static constexpr std::string_view name = "max_pooling_2d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& options = {}) const;
} max_pooling_2d{};
/// max_pooling_nd() of x (N, C, depth, height, width).
///   F::max_pooling_3d(ones({1, 2, 4, 4, 4}), {2, 2, 1})  // shape (1, 2, 2, 2, 4)
inline constexpr struct MaxPooling3D {
  static constexpr std::string_view name = "max_pooling_3d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& options = {}) const;
} max_pooling_3d{};

/// Options of unpooling_nd() and its fixed ranks.
struct UnpoolingOptions {
  PerAxis stride = {};
  PerAxis pad = 0;
  PerAxis outsize = {};   ///< the result's lengths, where windows of several lengths would give x's
  bool cover_all = true;  ///< the pooling that this undoes covered all, so the result may be shorter
};
/// Every element of x at all places of its window; where windows overlap, the sum.
///   F::unpooling_nd(array({1.f, 2.f}).reshape({1, 1, 2}), 2, {.cover_all = false})  // [[[1, 1, 2, 2]]]
inline constexpr struct UnpoolingND {
  static constexpr std::string_view name = "unpooling_nd";
  Variable operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& options = {}) const;
} unpooling_nd{};
/// unpooling_nd() of x (N, C, length).
///   F::unpooling_1d(array({1.f, 2.f}).reshape({1, 1, 2}), 2)  // [[[1, 1, 2]]]
inline constexpr struct Unpooling1D {
  static constexpr std::string_view name = "unpooling_1d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& options = {}) const;
} unpooling_1d{};
/// unpooling_nd() of x (N, C, height, width).
///   F::unpooling_2d(ones({1, 2, 3, 3}), 2, {.outsize = {6, 5}})  // shape (1, 2, 6, 5)
inline constexpr struct Unpooling2D {
  static constexpr std::string_view name = "unpooling_2d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& options = {}) const;
} unpooling_2d{};
/// unpooling_nd() of x (N, C, depth, height, width).
///   F::unpooling_3d(ones({1, 2, 3, 3, 3}), 2, {.cover_all = false})  // shape (1, 2, 6, 6, 6)
inline constexpr struct Unpooling3D {
  static constexpr std::string_view name = "unpooling_3d";
  Variable operator()(const Variable& x, const PerAxis& ksize, const UnpoolingOptions& options = {}) const;
} unpooling_3d{};

/// Every element of x (N, C, height, width) at the place of its window that `indexes` (integers, of x's shape) names,
/// as max_pooling_2d() returned them; zero elsewhere. An index outside of a window is an IndexError.
///   F::upsampling_2d(ones({1, 1, 1, 2}), array({3, 0}).reshape({1, 1, 1, 2}), 2, {.outsize = {2, 4}})
inline constexpr struct Upsampling2D {
  static constexpr std::string_view name = "upsampling_2d";
  Variable operator()(const Variable& x, const Array& indexes, const PerAxis& ksize,
                      const UnpoolingOptions& options = {}) const;
} upsampling_2d{};

/// What spatial_pyramid_pooling_2d() does with a bin.
enum class PyramidPooling { max };
/// max_pooling_2d() of x (N, C, height, width) into 1, 4, 16, ... 4^(pyramid_height - 1) bins, side by side:
/// (N, C (4^pyramid_height - 1) / 3, 1, 1) for images of any size that the bins divide with little padding.
/// He et al., arXiv:1406.4729.
///   F::spatial_pyramid_pooling_2d(ones({2, 3, 8, 8}), 2)  // shape (2, 15, 1, 1)
inline constexpr struct SpatialPyramidPooling2D {
  static constexpr std::string_view name = "spatial_pyramid_pooling_2d";
  Variable operator()(const Variable& x, int64_t pyramid_height, PyramidPooling pooling = PyramidPooling::max) const;
} spatial_pyramid_pooling_2d{};

/// The largest elements of regions of x (N, C, height, width), cut into outh x outw bins. `rois` (R, 5) holds an
/// image's index and x_min, y_min, x_max, y_max, scaled by spatial_scale and rounded, both ends included. An empty bin
/// gives zero. The result is (R, C, outh, outw). Girshick, arXiv:1504.08083.
///   F::roi_pooling_2d(ones({1, 2, 6, 6}), array({{0.f, 0.f, 0.f, 3.f, 3.f}}), 2, 2, 1)  // shape (1, 2, 2, 2)
inline constexpr struct RoiPooling2D {
  static constexpr std::string_view name = "roi_pooling_2d";
  Variable operator()(const Variable& x, const Variable& rois, int64_t outh, int64_t outw, double spatial_scale) const;
} roi_pooling_2d{};

/// Options of roi_average_align_2d().
struct RoiAverageAlign2DOptions {
  std::optional<IntPair> sampling_ratio = {};  ///< points of a bin along each axis; chosen by its size by default
};
/// The mean of bilinearly interpolated points of regions of x (N, C, height, width), cut into bins of `outsize`. `rois`
/// (R, 4) holds y_min, x_min, y_max, x_max, scaled by spatial_scale without rounding, and `roi_indices` (R) the images'
/// indices. The result is (R, C, outsize). He et al., arXiv:1703.06870.
///   const Array rois = array({{0.f, 0.f, 4.f, 4.f}});
///   F::roi_average_align_2d(ones({1, 2, 6, 6}), rois, array({0}), 2, 1)  // shape (1, 2, 2, 2)
inline constexpr struct RoiAverageAlign2D {
  static constexpr std::string_view name = "roi_average_align_2d";
  Variable operator()(const Variable& x, const Variable& rois, const Variable& roi_indices, IntPair outsize,
                      double spatial_scale, const RoiAverageAlign2DOptions& options = {}) const;
} roi_average_align_2d{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
