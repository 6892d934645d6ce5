// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/array.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable PadSequence::operator()(const Variables& xs, const PadSequenceOptions& o) const {
  if (Variables same = xs; cast_in_mixed_precision(MixedPrecision::widest, same)) return (*this)(same, o);
  if (xs.empty()) throw ValueError("pad_sequence: at least one array is needed");
  int64_t longest = 0;
  for (const Variable& x : xs) {
    if (x.ndim() == 0 || x.dtype() != xs[0].dtype() ||
        Shape(x.shape().begin() + 1, x.shape().end()) != Shape(xs[0].shape().begin() + 1, xs[0].shape().end()))
      throw DimensionError("pad_sequence: dtypes and all axes but the first must agree; got ", x.dtype(), " of shape ",
                           x.shape(), " and ", xs[0].dtype(), " of shape ", xs[0].shape());
    longest = std::max(longest, x.shape()[0]);
  }
  const int64_t length = o.length.value_or(longest);
  if (longest > length)
    throw ValueError("pad_sequence: length ", length, " is less than the longest array's, ", longest);
  Variables rows;
  for (const Variable& x : xs) {
    std::vector<std::pair<int64_t, int64_t>> widths(static_cast<std::size_t>(x.ndim()), {0, 0});
    widths[0].second = length - x.shape()[0];
    rows.push_back(pad(x, widths, "constant", {.constant_values = o.padding}));
  }
  return stack(rows);
}

}  // namespace chainer::functions
