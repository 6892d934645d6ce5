// SPDX-License-Identifier: MIT
// Conversion of images to columns of patches, and back.
#pragma once
#include "chainer/array/array.h"

namespace chainer {
namespace utils {

/// Returns the length of a convolution's output along one axis, for input length `size`, filter size `k`, stride `s`,
/// padding `p` and dilation `d`. With `cover_all`, every element of the input is covered by a filter position.
int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all = false, int64_t d = 1);
/// Returns the length of a deconvolution's output, that is, the input length of a convolution with output length
/// `size`.
int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all = false, int64_t d = 1);

}  // namespace utils

/// Height and width: one number for both, or two numbers.
struct IntPair {
  IntPair(int64_t both) : h(both), w(both) {}
  IntPair(int64_t height, int64_t width) : h(height), w(width) {}
  int64_t h, w;
};

/// The geometry of filters on an image.
struct PatchGeometry {
  IntPair ksize, stride = 1, pad = 0;
  bool cover_all = false;
  IntPair dilate = 1;
};

/// Returns the patches (n, c, kh, kw, out_h, out_w) of images (n, c, h, w), with zeros outside of the images. Throws
/// DimensionError for another rank or if the filter does not fit, ValueError if filter, stride or dilation is not
/// positive or the padding is negative.
Array im2col(const Array& images, const PatchGeometry& geometry);
/// Returns images of height and width `size` with the sums of the patches at their positions: the adjoint of im2col.
/// Throws DimensionError if the patches do not belong to such images.
Array col2im(const Array& patches, const PatchGeometry& geometry, IntPair size);

}  // namespace chainer
