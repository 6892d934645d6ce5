// Patches of images as columns, and back.
#pragma once
#include "chainer/array/array.h"

namespace chainer {
namespace utils {

/// The length of a convolution's output along one axis: input length `size`, filter `k`, stride `s`, padding `p`,
/// dilation `d`; with `cover_all` every element of the input is under some filter.
int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all = false, int64_t d = 1);
/// The length of a deconvolution's output: the input of a convolution with output `size`.
int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all = false, int64_t d = 1);

}  // namespace utils

/// Height and width: one number for both, or two.
struct IntPair {
  IntPair(int64_t both) : h(both), w(both) {}
  IntPair(int64_t height, int64_t width) : h(height), w(width) {}
  int64_t h, w;
};

/// Where filters of ksize are put on an image.
struct PatchGeometry {
  IntPair ksize, stride = 1, pad = 0;
  bool cover_all = false;
  IntPair dilate = 1;
};

/// Images (n, c, h, w) to their patches (n, c, kh, kw, out_h, out_w), zeros outside.
Array im2col(const Array& images, const PatchGeometry& geometry);
/// The sum of patches at their places in images of height and width `size`: the adjoint of im2col.
Array col2im(const Array& patches, const PatchGeometry& geometry, IntPair size);

}  // namespace chainer
