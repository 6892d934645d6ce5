// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"

namespace chainer::functions {

Variables Separate::operator()(const Variable& x, int64_t axis) const {
  if (x.ndim() == 0) throw DimensionError("separate: an array without axes cannot be separated");
  const int d = normalize_axis(axis, x.ndim(), "separate");
  Shape rest = x.shape();
  rest.erase(d);
  Variables out;
  if (x.shape()[d] == 0) return out;
  for (const Variable& part : split_axis(x, x.shape()[d], d)) out.push_back(reshape(part, rest));
  return out;
}

}  // namespace chainer::functions
