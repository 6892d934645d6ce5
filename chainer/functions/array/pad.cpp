#include <algorithm>

#include "chainer/functions/array/pick.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

// Which element stands at each place of a padded axis of length n.
std::vector<int64_t> places(int64_t n, int64_t before, int64_t after, const std::string& mode) {
  std::vector<int64_t> out;
  if (n == 0 && before + after > 0)
    throw ValueError("pad: an axis without elements cannot be padded in mode '", mode, "'");
  for (int64_t i = -before; i < n + after; ++i) {
    int64_t at = i;
    if (mode == "edge") {
      at = std::clamp<int64_t>(i, 0, n - 1);
    } else if (mode == "wrap") {
      at = ((i % n) + n) % n;
    } else if (mode == "symmetric") {
      const int64_t period = 2 * n;
      at = ((i % period) + period) % period;
      if (at >= n) at = period - 1 - at;
    } else {  // reflect
      const int64_t period = std::max<int64_t>(1, 2 * n - 2);
      at = ((i % period) + period) % period;
      if (at >= n) at = period - at;
    }
    out.push_back(at);
  }
  return out;
}

}  // namespace

Variable Pad::operator()(const Variable& x, const std::vector<std::pair<int64_t, int64_t>>& pad_width,
                         const std::string& mode, const PadOptions& options) const {
  constexpr std::string_view kModes[] = {"constant", "edge", "wrap", "symmetric", "reflect"};
  if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes))
    throw ValueError("pad: mode '", mode, "' is none of constant, edge, wrap, symmetric, reflect");
  if (pad_width.size() != 1 && pad_width.size() != static_cast<std::size_t>(x.ndim()))
    throw ValueError("pad: ", pad_width.size(), " widths for ", x.ndim(), " axes");
  Variable y = x;
  for (int d = 0; d < x.ndim(); ++d) {
    const auto [before, after] = pad_width[pad_width.size() == 1 ? 0 : static_cast<std::size_t>(d)];
    if (before < 0 || after < 0) throw ValueError("pad: widths must not be negative, one is ", std::min(before, after));
    if (before == 0 && after == 0) continue;
    if (mode == "constant") {
      Shape left = y.shape(), right = y.shape();
      left[d] = before, right[d] = after;
      const auto constant = [&](const Shape& s) {
        return Variable(full(s, options.constant_values, x.dtype()), false);
      };
      y = concat({constant(left), y, constant(right)}, d);
    } else {
      const std::vector<int64_t> at = places(y.shape()[d], before, after, mode);
      y = pick(y, array(at, Shape{static_cast<int64_t>(at.size())}), d);
    }
  }
  return y;
}

}  // namespace chainer::functions
