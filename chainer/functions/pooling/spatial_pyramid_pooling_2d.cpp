// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/windows.h"

namespace chainer::functions {

Variable SpatialPyramidPooling2D::operator()(const Variable& x, int64_t pyramid_height, PyramidPooling) const {
  check_images("SpatialPyramidPooling2D", x, 2);
  if (pyramid_height < 1 || pyramid_height > 30)
    throw ValueError("spatial_pyramid_pooling_2d: pyramid_height must be from 1 to 30, not ", pyramid_height);
  const Shape& s = x.shape();
  Variables levels;
  for (int64_t level = 0; level < pyramid_height; ++level) {
    const int64_t bins = int64_t(1) << level;
    const IntPair size((s[2] + bins - 1) / bins, (s[3] + bins - 1) / bins);
    const IntPair pad((size.h * bins - s[2]) / 2, (size.w * bins - s[3]) / 2);
    const Variable y = max_pooling_2d(x, {size.h, size.w}, {.pad = {pad.h, pad.w}});
    levels.push_back(reshape(y, {s[0], y.shape()[1] * y.shape()[2] * y.shape()[3], 1, 1}));
  }
  return concat(levels);
}

}  // namespace chainer::functions
