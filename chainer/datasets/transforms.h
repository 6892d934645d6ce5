// SPDX-License-Identifier: MIT
// Transformations of pictures (channels, height, width), for use in TransformDataset and elsewhere. All throw
// ValueError for another number of axes.
#pragma once
#include <cstdint>

#include "chainer/datasets/dataset.h"
#include "chainer/datasets/example_random.h"
#include "chainer/core/other_options.h"

namespace chainer::transforms {

/// Returns the part (channels, height, width) with its upper left corner at (top, left). Throws ValueError if it
/// extends outside of the picture, as do center_crop() and random_crop().
Array crop(const Array& image, int64_t top, int64_t left, int64_t height, int64_t width);
/// Returns the part in the middle.
Array center_crop(const Array& image, int64_t height, int64_t width);
/// Returns a part at a random position, from example_random().
Array random_crop(const Array& image, int64_t height, int64_t width);
/// Pads each side with zeros, then crops the old size at a random position, as is usual for CIFAR. Throws ValueError if
/// `pad` is negative.
Array random_shift(const Array& image, int64_t pad);
/// Mirrors left to right.
Array flip(const Array& image);
/// Mirrors left to right with probability 1/2, from example_random().
Array random_flip(const Array& image);

struct ResizeOptions {
  /// True: a triangle filter as wide as an output pixel, which avoids aliasing in smaller pictures; pixel centers are
  /// aligned. False: interpolates two neighbors, as F::resize_images; corners are aligned.
  bool antialias = true;
};
/// Resizes to (channels, height, width), bilinearly. Returns float32 unless the picture is float64. Throws ValueError
/// for sizes that are not positive.
Array resize(const Array& image, int64_t height, int64_t width, const ResizeOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(resize, ".antialias", const Array&, int64_t, int64_t);
/// Resizes so that the shorter side gets this length, keeping proportions. Throws ValueError unless `shorter` is
/// positive.
Array scale(const Array& image, int64_t shorter, const ResizeOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(scale, ".antialias", const Array&, int64_t);

/// Options of random_resized_crop().
struct RandomResizedCropOptions {
  double min_area = 0.08, max_area = 1;               ///< the part's area, of the picture's
  double min_aspect = 3.0 / 4, max_aspect = 4.0 / 3;  ///< its width over its height
  bool antialias = true;
};
/// A part of random area and aspect ratio somewhere (the aspect's logarithm uniform; the largest part in the middle
/// where ten draws leave the picture), resized to height x width: Szegedy et al., arXiv:1409.4842. ValueError for
/// bounds that are not positive or in the wrong order.
///   transforms::random_resized_crop(zeros({3, 20, 30}), 8, 6)  // shape (3, 8, 6)
Array random_resized_crop(const Array& image, int64_t height, int64_t width,
                          const RandomResizedCropOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(random_resized_crop, ".min_area, .max_area, .min_aspect, .max_aspect, .antialias",
                         const Array&, int64_t, int64_t);
/// Turned counter-clockwise by an angle in degrees about the middle, in the old size, by linear interpolation; what
/// comes from outside has the value `fill`. Gives float32 unless the picture is of float64.
///   transforms::rotate(array({{{1.f, 2.f}, {3.f, 4.f}}}), 90)  // [[[2, 4], [1, 3]]]
Array rotate(const Array& image, double degrees, double fill = 0);
/// Turned by an angle from -degrees to degrees, drawn from example_random().
///   transforms::random_rotation(zeros({3, 8, 8}), 15)  // shape (3, 8, 8)
Array random_rotation(const Array& image, double degrees, double fill = 0);

/// Options of color_jitter(): each factor is drawn from max(0, 1 - v) to 1 + v, the hue's turn from -v to v (of a whole
/// circle, at most 0.5).
struct ColorJitterOptions {
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;
};
/// Other brightness, contrast, saturation and hue, in random order, of a picture with values from 0 to `max` in one or
/// three channels; what leaves this range is cut off. Saturation and hue leave grey pictures alone. ValueError for
/// negative options and other channels.
///   transforms::color_jitter(ones({3, 2, 2}), {.brightness = 0.5})  // shape (3, 2, 2)
Array color_jitter(const Array& image, const ColorJitterOptions& options, double max = 1);
CHAINER_OTHER_OPTIONS_OF(color_jitter, ".brightness, .contrast, .saturation, .hue", const Array&);

/// Returns image - mean, where mean has the shape of the picture, (channels) or ().
Array subtract_mean(const Array& image, const Array& mean);
/// Returns the mean over the pictures (first entries) of a dataset, summed in float64. Throws ValueError for different
/// shapes or an empty dataset.
Array compute_mean(const AnyDataset& dataset);

}  // namespace chainer::transforms
