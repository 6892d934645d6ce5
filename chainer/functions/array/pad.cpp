// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

// The source index of each element of an axis of length n after padding.
std::vector<int64_t> places(int64_t n, int64_t before, int64_t after, const std::string& mode) {
  std::vector<int64_t> out;
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

// The values to put next to an axis in the modes that do not repeat elements; `edge` is the outermost slice on that
// side.
Variable filling(const Variable& y, int d, int64_t width, const Variable& edge, bool before, const std::string& mode,
                 const PadOptions& o) {
  Shape shape = y.shape();
  shape[d] = width;
  if (mode == "constant")
    return Variable(full(shape, o.constant_values.at(d, before, y.ndim()), y.dtype(), y.device()), false);
  if (mode == "linear_ramp") {  // from end_values up to the edge, exclusive
    Shape along = Shape(Dims::filled(y.ndim(), 1));
    along[d] = width;
    std::vector<double> share;
    for (int64_t i = 0; i < width; ++i)
      share.push_back(static_cast<double>(before ? i : width - 1 - i) / static_cast<double>(width));
    const Variable w(array(share, along).astype(y.dtype()).to_device(y.device()), false);
    return edge * w + (1 - w) * o.end_values.at(d, before, y.ndim());
  }
  const Variable value = mode == "maximum"   ? max(y, d, {.keepdims = true})
                         : mode == "minimum" ? min(y, d, {.keepdims = true})
                                             : mean(y, d, {.keepdims = true});
  return broadcast_to(value, shape);
}

}  // namespace

double PadValues::at(int axis, bool before, int ndim) const {
  if (values_.size() != 1 && values_.size() != static_cast<std::size_t>(ndim))
    throw ValueError("pad: ", values_.size(), " pairs of values for ", ndim, " axes");
  const auto& [first, second] = values_[values_.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
  return before ? first : second;
}

std::optional<double> PadValues::single() const {
  for (const auto& [before, after] : values_)
    if (before != values_[0].first || after != values_[0].first) return std::nullopt;
  return values_.empty() ? std::nullopt : std::optional<double>(values_[0].first);
}

Variable Pad::operator()(const Variable& x, int64_t pad_width, const std::string& mode,
                         const PadOptions& options) const {
  return (*this)(x, {{pad_width, pad_width}}, mode, options);
}

Variable Pad::operator()(const Variable& x, const std::vector<std::pair<int64_t, int64_t>>& pad_width,
                         const std::string& mode, const PadOptions& options) const {
  constexpr std::string_view kFilling[] = {"constant", "linear_ramp", "maximum", "mean", "minimum"};
  constexpr std::string_view kRepeating[] = {"edge", "reflect", "symmetric", "wrap"};
  const bool fills = std::find(std::begin(kFilling), std::end(kFilling), mode) != std::end(kFilling);
  if (!fills && std::find(std::begin(kRepeating), std::end(kRepeating), mode) == std::end(kRepeating))
    throw ValueError("pad: mode '", mode,
                     "' is not one of constant, edge, linear_ramp, maximum, mean, minimum, reflect, symmetric, wrap");
  if (pad_width.size() != 1 && pad_width.size() != static_cast<std::size_t>(x.ndim()))
    throw ValueError("pad: ", pad_width.size(), " widths for ", x.ndim(), " axes");
  Variable y = x;
  for (int d = 0; d < x.ndim(); ++d) {
    const auto [before, after] = pad_width[pad_width.size() == 1 ? 0 : static_cast<std::size_t>(d)];
    if (before < 0 || after < 0) throw ValueError("pad: widths must not be negative, got ", std::min(before, after));
    if (before == 0 && after == 0) continue;
    const int64_t n = y.shape()[d];
    if (n == 0 && mode != "constant")
      throw ValueError("pad: an axis without elements cannot be padded in mode '", mode, "'");
    if (fills) {
      const Variable first = n ? pick(y, Slice(0, 1), d) : y, last = n ? pick(y, Slice(n - 1, n), d) : y;
      y = concat(
          {filling(y, d, before, first, true, mode, options), y, filling(y, d, after, last, false, mode, options)}, d);
    } else {
      const std::vector<int64_t> at = places(n, before, after, mode);
      y = pick(y, array(at, Shape{static_cast<int64_t>(at.size())}), d);
    }
  }
  return composite("Pad", {&x}, y, [&](NodeAttributes& a) {
    a("widths", pad_width)("mode", mode);
    if (const auto value = options.constant_values.single()) a("value", *value);
  });
}

}  // namespace chainer::functions
