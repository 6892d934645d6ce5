// SPDX-License-Identifier: MIT
#include "chainer/functions/array/pick.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable Repeat::operator()(const Variable& x, const std::vector<int64_t>& repeats, std::optional<int64_t> axis) const {
  if (!axis) return repeat(flatten(x), repeats, 0);
  const int d = normalize_axis(*axis, x.ndim(), "repeat");
  const auto n = static_cast<std::size_t>(x.shape()[d]);
  if (repeats.size() != 1 && repeats.size() != n)
    throw ValueError("repeat: ", repeats.size(), " counts for an axis of length ", n);
  // On a device (n, ...) becomes (n, count, ...), without positions; on the host rows by index are faster.
  if (repeats.size() == 1 && repeats[0] >= 0 && !x.array().device().is_host() && x.ndim() < kMaxNdim) {
    Shape wide = x.shape(), joined = x.shape();
    wide.insert(d + 1, repeats[0]);
    joined[d] *= repeats[0];
    return reshape(broadcast_to(expand_dims(x, d + 1), wide), joined);
  }
  std::vector<int64_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const int64_t count = repeats[repeats.size() == 1 ? 0 : i];
    if (count < 0) throw ValueError("repeat: counts must not be negative, got ", count);
    rows.insert(rows.end(), static_cast<std::size_t>(count), static_cast<int64_t>(i));
  }
  return pick(x, array(rows, Shape{static_cast<int64_t>(rows.size())}), d);
}

}  // namespace chainer::functions
