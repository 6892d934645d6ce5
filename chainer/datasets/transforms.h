// Preparation of pictures (channels, height, width), for TransformDataset and beside it.
#pragma once
#include <cstdint>

#include "chainer/datasets/dataset.h"
#include "chainer/datasets/example_random.h"

namespace chainer::transforms {

/// The part of height x width whose upper left corner is at (top, left); ValueError if it leaves the picture.
Array crop(const Array& image, int64_t top, int64_t left, int64_t height, int64_t width);
/// The part in the middle.
Array center_crop(const Array& image, int64_t height, int64_t width);
/// A part somewhere, drawn from example_random().
Array random_crop(const Array& image, int64_t height, int64_t width);
/// Zeros on each side, then a part of the old size somewhere: the usual treatment of CIFAR.
Array random_shift(const Array& image, int64_t pad);
/// Mirrored left to right.
Array flip(const Array& image);
/// Mirrored in one of two cases, drawn from example_random().
Array random_flip(const Array& image);

struct ResizeOptions {
  /// A triangle filter as wide as an output pixel, so that a smaller picture has no artefacts; pixel centres are
  /// aligned. Otherwise as F.resize_images: two neighbours, corners aligned.
  bool antialias = true;
};
/// Another size, bilinear. Gives float32 unless the picture is of float64.
Array resize(const Array& image, int64_t height, int64_t width, const ResizeOptions& options = {});
/// The shorter side gets this length, the other one in proportion.
Array scale(const Array& image, int64_t shorter, const ResizeOptions& options = {});

/// image - mean, where mean has the picture's shape, (channels,) or ().
Array subtract_mean(const Array& image, const Array& mean);
/// The mean over a dataset's pictures (first entries), all of one shape, summed in double.
Array compute_mean(const AnyDataset& dataset);

}  // namespace chainer::transforms
