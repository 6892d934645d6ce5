// SPDX-License-Identifier: MIT
// Bias and Scale.
#include "chainer/functions/math.h"
#include "chainer/links/connection.h"

namespace chainer::links {

Bias::Bias(int64_t axis, std::optional<Shape> shape) : axis_(axis) {
  if (shape) b.emplace(0.0, *shape);
}
Variable Bias::forward(const Variable& x) {
  if (!b) throw ValueError("Bias: a second argument is needed, because the link has no parameter b");
  return functions::bias(x, *b, axis_);
}
Variable Bias::forward(const Variable& x, const Variable& y) {
  if (b) throw ValueError("Bias: expected one argument, because the link has a parameter b, got two");
  return functions::bias(x, y, axis_);
}

Scale::Scale(int64_t axis, std::optional<Shape> W_shape, const ScaleOptions& o) : axis_(axis) {
  if (W_shape) W.emplace(1.0, *W_shape);
  if (!o.bias_term) return;
  if (!W_shape && !o.bias_shape) throw ValueError("Scale: bias_term needs W_shape or bias_shape");
  bias.emplace(axis, W_shape ? W_shape : o.bias_shape);
}
Variable Scale::forward(const Variable& x) {
  if (!W) throw ValueError("Scale: a second argument is needed, because the link has no parameter W");
  const Variable z = functions::scale(x, *W, axis_);
  return bias ? (*bias)(z) : z;
}
Variable Scale::forward(const Variable& x, const Variable& y) {
  if (W) throw ValueError("Scale: expected one argument, because the link has a parameter W, got two");
  const Variable z = functions::scale(x, y, axis_);
  return bias ? (*bias)(z) : z;
}

CHAINER_DEFINE_MEMBERS(Bias, b)
CHAINER_DEFINE_MEMBERS(Scale, W, bias)

}  // namespace chainer::links
