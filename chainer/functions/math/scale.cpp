// SPDX-License-Identifier: MIT
// bias and scale: an operand aligned to some axis of the other.
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {

Variable aligned(const Variable& x, const Variable& y, int64_t axis, std::string_view name) {
  const int at = normalize_axis(axis, x.ndim() + 1, name);
  bool fits = at + y.ndim() <= x.ndim();
  for (int i = 0; fits && i < y.ndim(); ++i) fits = y.shape()[i] == 1 || x.shape()[at + i] == y.shape()[i];
  if (!fits)
    throw DimensionError(name, ": y of shape ", y.shape(), " does not match axes ", at, ".. of x of shape ", x.shape());
  Shape s = Dims::filled(x.ndim(), 1);
  for (int i = 0; i < y.ndim(); ++i) s[at + i] = y.shape()[i];
  return broadcast_to(reshape(y, s), x.shape());
}

}  // namespace

Variable Bias::operator()(const Variable& x, const Variable& y, int64_t axis) const {
  return x + aligned(x, y, axis, name);
}
Variable Scale::operator()(const Variable& x, const Variable& y, int64_t axis) const {
  return x * aligned(x, y, axis, name);
}

}  // namespace chainer::functions
