// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"

namespace chainer::functions {
namespace {
// The derivative of log_ndtr: the density divided by the probability. Written with erfcx, exp(-x^2 / 2) cancels for
// very negative x; for very large x erfcx is infinite and the result 0. Below -20, where erfcx becomes too small, the
// asymptotic series is used.
Array slope(const Array& x) {
  const Array left = chainer::minimum(x, -20.0), u = 1 / chainer::square(left);
  const Array series = -left * (1 + u * (1 - u * (2 - u * (10 - u * (74 - u * 706)))));
  const Array quotient = std::sqrt(2 / std::numbers::pi) / chainer::erfcx(chainer::maximum(x, -20.0) * -std::sqrt(0.5));
  return chainer::where(x < -20, series, quotient);
}

// The second derivative, -h (x + h) for the first derivative h. For very negative x, x + h is a small difference of
// large numbers; there the asymptotic series -1 + 1 / x^2 - 6 / x^4 + 50 / x^6 - ... of the whole is used.
Array curvature(const Array& x, const Array& h) {
  const Array u = 1 / chainer::square(chainer::minimum(x, -20.0));
  const Array series = -1 + u * (1 - u * (6 - u * (50 - u * (518 - u * 6354))));
  return chainer::where(x < -20, series, -(h * (chainer::clip(x, -20, 40) + h)));
}

struct LogNdtrCurvature : FunctionNode {
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    retain_outputs({0});
    const Array wide = x[0].astype(float64);
    return {curvature(wide, slope(wide)).astype(x[0].dtype())};
  }
  Variables backward(const Indexes&, const Variables& gy) override;
};
struct LogNdtrSlope : FunctionNode {
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {slope(x[0])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * apply_single(LogNdtrCurvature(), retained_input(0))};
  }
};
// The third derivative, with h the first and s the second: -(h + (x + 2 h) s).
Variables LogNdtrCurvature::backward(const Indexes&, const Variables& gy) {
  const Variable x = retained_input(0), s = retained_output(0), h = apply_single(LogNdtrSlope(), x);
  return {gy[0] * -(h + (x + 2 * h) * s)};
}

struct LogNdtrNode : UnaryNode<Elementwise::log_ndtr> {
  std::string label() const override { return "log_ndtr"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * apply_single(LogNdtrSlope(), retained_input(0))};
  }
};
}  // namespace

Variable LogNdtr::operator()(const Variable& x) const { return apply_single(LogNdtrNode(), x); }

}  // namespace chainer::functions
