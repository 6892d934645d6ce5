#include "chainer/functions/array.h"

namespace chainer::functions {

Variable Flip::operator()(const Variable& x, int64_t axis) const {
  const int d = normalize_axis(axis, x.ndim(), "flip");
  Indices slices(static_cast<std::size_t>(d), Slice());
  slices.push_back(Slice(std::nullopt, std::nullopt, -1));
  return get_item(x, slices);
}
Variable Fliplr::operator()(const Variable& a) const { return flip(a, 1); }
Variable Flipud::operator()(const Variable& a) const { return flip(a, 0); }

}  // namespace chainer::functions
