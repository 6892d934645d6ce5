// SPDX-License-Identifier: MIT
// Bias and Scale.
#include "chainer/functions/math.h"
#include "chainer/links/connection.h"

namespace chainer::links {

Bias::Bias(int64_t axis, std::optional<Shape> shape) : axis_(axis) {
  if (shape) b.emplace(0.0, *shape);
}
Variable Bias::forward(const Variable& x) {
  if (!b) throw ValueError("Bias: without a parameter b the second argument is needed");
  return functions::bias(x, *b, axis_);
}
Variable Bias::forward(const Variable& x, const Variable& y) {
  if (b) throw ValueError("Bias: b is a parameter here, a second argument makes no sense");
  return functions::bias(x, y, axis_);
}

Scale::Scale(int64_t axis, std::optional<Shape> W_shape, const ScaleOptions& o) : axis_(axis) {
  if (W_shape) W.emplace(1.0, *W_shape);
  if (!o.bias_term) return;
  if (!W_shape && !o.bias_shape) throw ValueError("Scale: bias_term needs W_shape or bias_shape");
  bias.emplace(axis, W_shape ? W_shape : o.bias_shape);
}
Variable Scale::forward(const Variable& x) {
  if (!W) throw ValueError("Scale: without a parameter W the second argument is needed");
  const Variable z = functions::scale(x, *W, axis_);
  return bias ? (*bias)(z) : z;
}
Variable Scale::forward(const Variable& x, const Variable& y) {
  if (W) throw ValueError("Scale: W is a parameter here, a second argument makes no sense");
  const Variable z = functions::scale(x, y, axis_);
  return bias ? (*bias)(z) : z;
}

CHAINER_DEFINE_MEMBERS(Bias, b)
CHAINER_DEFINE_MEMBERS(Scale, W, bias)

}  // namespace chainer::links
