// SPDX-License-Identifier: MIT
#include "chainer/routines/im2col.h"

#include "chainer/array/index.h"
#include "chainer/routines/creation.h"

namespace chainer {
namespace utils {

int64_t get_conv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all, int64_t d) {
  const int64_t dk = k + (k - 1) * (d - 1);
  const int64_t room = size + 2 * p - dk + (cover_all ? s - 1 : 0);
  const bool up = room % s != 0 && room < 0;  // division rounds towards zero here, down in Python
  return room / s - up + 1;
}

int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all, int64_t d) {
  const int64_t dk = k + (k - 1) * (d - 1);
  return s * (size - 1) + dk - 2 * p - (cover_all ? s - 1 : 0);
}

}  // namespace utils

namespace {

const PatchGeometry& checked(const PatchGeometry& g) {
  if (g.ksize.h < 1 || g.ksize.w < 1 || g.stride.h < 1 || g.stride.w < 1 || g.dilate.h < 1 || g.dilate.w < 1 ||
      g.pad.h < 0 || g.pad.w < 0)
    throw ValueError("im2col: filter (", g.ksize.h, ", ", g.ksize.w, "), stride (", g.stride.h, ", ", g.stride.w,
                     ") and dilation (", g.dilate.h, ", ", g.dilate.w, ") must be positive, padding (", g.pad.h, ", ",
                     g.pad.w, ") not negative");
  return g;
}

// The size of the padded image, with space for the filters beyond the end that cover_all allows.
struct Padded {
  Padded(const PatchGeometry& g, IntPair size)
      : out(utils::get_conv_outsize(size.h, g.ksize.h, g.stride.h, g.pad.h, g.cover_all, g.dilate.h),
            utils::get_conv_outsize(size.w, g.ksize.w, g.stride.w, g.pad.w, g.cover_all, g.dilate.w)),
        length(size.h + 2 * g.pad.h + g.stride.h - 1, size.w + 2 * g.pad.w + g.stride.w - 1) {}
  IntPair out, length;
};

// Returns the index of the elements under position (i, j) of the filter, for all filter positions.
std::vector<Index> under(const PatchGeometry& g, const Padded& p, int64_t i, int64_t j) {
  const auto along = [](int64_t start, int64_t count, int64_t stride) {
    return Slice(start, start + (count - 1) * stride + 1, stride);
  };
  return {Slice(), Slice(), along(i * g.dilate.h, p.out.h, g.stride.h), along(j * g.dilate.w, p.out.w, g.stride.w)};
}
std::vector<Index> inside(const PatchGeometry& g, IntPair size) {
  return {Slice(), Slice(), Slice(g.pad.h, g.pad.h + size.h), Slice(g.pad.w, g.pad.w + size.w)};
}
std::vector<Index> place(int64_t i, int64_t j) { return {Slice(), Slice(), i, j}; }

}  // namespace

Array im2col(const Array& images, const PatchGeometry& g) {
  if (images.ndim() != 4) throw DimensionError("im2col: expected images (n, c, h, w), got shape ", images.shape());
  const Shape& s = images.shape();
  const IntPair size(s[2], s[3]);
  const Padded p(checked(g), size);
  if (p.out.h < 1 || p.out.w < 1)
    throw DimensionError("im2col: a filter of (", g.ksize.h, ", ", g.ksize.w, ") does not fit into an image of (",
                         size.h, ", ", size.w, ") with padding (", g.pad.h, ", ", g.pad.w, ")");
  Array padded = zeros({s[0], s[1], p.length.h, p.length.w}, images.dtype(), images.device());
  set_item(padded, inside(g, size), images);
  Array out({s[0], s[1], g.ksize.h, g.ksize.w, p.out.h, p.out.w}, images.dtype(), images.device());
  for (int64_t i = 0; i < g.ksize.h; ++i)
    for (int64_t j = 0; j < g.ksize.w; ++j) set_item(out, place(i, j), get_item(padded, under(g, p, i, j)));
  return out;
}

Array col2im(const Array& patches, const PatchGeometry& g, IntPair size) {
  const Shape& s = patches.shape();
  const Padded p(g, size);
  if (patches.ndim() != 6 || s[2] != g.ksize.h || s[3] != g.ksize.w || s[4] != p.out.h || s[5] != p.out.w)
    throw DimensionError("col2im: patches of shape ", s, " do not fit images of (", size.h, ", ", size.w, ")");
  Array padded = zeros({s[0], s[1], p.length.h, p.length.w}, patches.dtype(), patches.device());
  for (int64_t i = 0; i < g.ksize.h; ++i) {
    for (int64_t j = 0; j < g.ksize.w; ++j) {
      Array target = get_item(padded, under(g, p, i, j));  // a view
      target += get_item(patches, place(i, j));
    }
  }
  return get_item(padded, inside(g, size)).copy();
}

}  // namespace chainer
