// SPDX-License-Identifier: MIT
// Shared by the functions that pool regions of images.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "chainer/autograd/type_check.h"
#include "chainer/autograd/variable.h"
#include "chainer/routines/im2col.h"

namespace chainer {
struct IndexCheck;
}

namespace chainer::functions {

/// Regions of images: y_min, x_min, y_max, x_max in pixels, and the index of the image.
struct Regions {
  std::vector<std::array<double, 4>> corners;
  std::vector<int64_t> images;
};
/// Checks the arguments of the function `name` and returns the regions, scaled. Throws InvalidType with `label`,
/// ValueError for an outsize or scale that is not positive and for a corner that is not finite, IndexError for an image
/// that x lacks.
Regions read_regions(std::string_view name, const char* label, const Variable& x, const Variable& rois,
                     const Variable& roi_indices, IntPair outsize, double spatial_scale);
/// Checks the arguments only: their types, outsize and scale.
void check_regions(std::string_view name, const char* label, const Variable& x, const Variable& rois,
                   const Variable& roi_indices, IntPair outsize, double spatial_scale);
/// Checks that the second of the inputs, the regions, has the dtype of the first; in mixed precision any floating
/// dtype.
void expect_dtype_of_regions(const type_check::TypeInfos& in);
/// Rounds the corners to pixels.
void round_corners(Regions& regions);

/// Weights of the pixels of one axis, by position.
using PixelWeights = std::vector<std::pair<int64_t, double>>;
/// The weights of an axis of `length` pixels in bin `bin` of `bins` of a region from `begin` to `end`; `axis` is 0 for
/// rows of pixels, 1 for columns.
using WeightsAlong =
    std::function<PixelWeights(double begin, double end, int64_t bin, int64_t bins, int64_t length, int axis)>;
/// Returns weighted sums of the pixels of each bin: (R, C, outsize.h, outsize.w). They are linear in x: a sparse matrix
/// times the pixels.
Variable region_sums(const Variable& x, const Regions& regions, IntPair outsize, const WeightsAlong& along);

/// The error of a number that is wrong: `position` / 5 is the region, `position` % 5 is 0 for the image and more for a
/// corner, and `check.lengths[0]` is the number of images.
using RegionError = void (*)(int64_t value, int64_t position, const IndexCheck& check);
/// Checks regions on a device, rows of an image and four corners (R, 5) of float64, and returns them with zeros in
/// place of the wrong ones. The device calls `fail` when it is next waited for.
Array checked_regions(const Array& rows, int64_t images, RegionError fail);

/// Returns the largest pixels of bins: (R, C, outsize.h, outsize.w), with `rois` as in host_kernels::roi_argmax(),
/// on the host or on the device of x.
Variable region_maxima(const Variable& x, const Array& rois, IntPair outsize, double spatial_scale);

/// A point between the pixels `low` and `low + 1`: (1 - part) of one and `part` of the other.
struct PointBetween {
  int64_t low;
  double part;
};
/// The points of a bin along one axis that have values: those up to one pixel outside the image take the value of its
/// border, points further out are absent.
struct PointsAlong {
  double count;  ///< including the absent points
  std::vector<PointBetween> inside;
};
/// Returns the points of bin `bin`: `ratio` of them, or one for each pixel if it is 0.
PointsAlong points_along(double begin, double end, int64_t bin, int64_t bins, int64_t ratio, int64_t length);
/// Throws ValueError for a ratio that is given and not positive; returns 0 for one that is not given.
IntPair checked_ratio(std::string_view name, const std::optional<IntPair>& ratio);

}  // namespace chainer::functions
