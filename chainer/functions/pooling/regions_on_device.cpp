// SPDX-License-Identifier: MIT
// Regions given on a device.
#include "chainer/array/backend.h"
#include "chainer/array/operations/indices.h"
#include "chainer/functions/pooling/regions.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

// A number is checked as 1 if it is wrong, else as 0.
Array checked_regions(const Array& rows, int64_t images, RegionError fail) {
  const Array image = rows[{Slice(), Slice(0, 1)}], corners = rows[{Slice(), Slice(1, 5)}];
  const Array known = (image >= 0) & (image < images), finite = isfinite(corners);
  const Array wrong = concatenate({1 - known.astype(int64), 1 - finite.astype(int64)}, 1).contiguous();
  Array checked(wrong.shape(), int64, wrong.device());
  wrong.device().backend().check_indices({.size = 1, .lengths = {images}, .fail = fail}, wrong, checked);
  const Array good = known & all(finite, 1, true);
  return chainer::where(good, rows, constant(0, float64, rows.device())).contiguous();
}

}  // namespace chainer::functions
