// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/functions/math.h"
#include "chainer/functions/math/unary_node.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

// The n-th derivative of erfcx, in float64: f' = 2 x f - 2 / sqrt(pi), then f^(k + 1) = 2 x f^(k) + 2 k f^(k - 1). For
// large x these are small differences of large numbers; there the asymptotic series (1 - 1 / (2 x^2) + 3 / (2 x^2)^2 -
// ...) / (x sqrt(pi)) is differentiated term by term.
Array derivative(const Array& x, int n) {
  const double kLarge = 9;
  Array before, f = chainer::erfcx(x);
  for (int k = 0; k < n; ++k) {
    const Array next = k ? 2 * x * f + 2 * k * before : 2 * x * f - 2 / std::sqrt(std::numbers::pi);
    before = f, f = next;
  }
  const Array far = chainer::maximum(x, kLarge), u = 1 / far;
  std::vector<double> terms;
  double term = 1 / std::sqrt(std::numbers::pi);
  for (int j = 1; j <= n; ++j) term *= -j;
  for (int k = 0; k < 20; ++k) {
    terms.push_back(term);
    term *= -(2 * k + 1) * 0.5 * (2 * k + 1 + n) * (2 * k + 2 + n) / ((2 * k + 1.) * (2 * k + 2));
  }
  Array sum = full({}, terms.back(), float64);
  for (std::size_t k = terms.size() - 1; k-- > 0;) sum = sum * u * u + terms[k];
  for (int j = 0; j <= n; ++j) sum = sum * u;
  return chainer::where(x > kLarge, sum, f);
}

// The first derivative in float32. For x >= 0 it is -t^2 times a polynomial of t = 1 / (1 + 0.4 x), which avoids the
// difference of large numbers; for x < 0 both parts of 2 x f - 2 / sqrt(pi) have the same sign.
Array slope32(const Array& x) {
  constexpr float kFactor[] = {0x1.3086d8p-2f,  0x1.9c682cp-1f,  0x1.3348p+0f,   0x1.05a27ap+0f, 0x1.05ba54p-2f,
                               -0x1.9f638ap-2f, -0x1.415b0cp-2f, 0x1.78d964p-3f, 0x1.e3988ap-3f, -0x1.e1bbdp-4f,
                               -0x1.44b5d8p-3f, 0x1.022952p-4f,  0x1.2386ccp-4f};
  const Array t = 1 / (1 + 0.4 * abs(x)), u = t - 0.5;
  Array right = kFactor[12] * u + kFactor[11];
  for (int i = 10; i >= 0; --i) right = right * u + kFactor[i];
  return chainer::where(x < 0, 2 * x * chainer::erfcx(x) - 2 / std::sqrt(std::numbers::pi), -(right * t * t));
}

struct ErfcxDerivative : FunctionNode {
  explicit ErfcxDerivative(int n) : order(n) {}
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    if (order == 1 && x[0].dtype() == float32) return {slope32(x[0])};
    return {derivative(x[0].astype(float64), order).astype(x[0].dtype())};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * apply_single(ErfcxDerivative(order + 1), retained_input(0))};
  }
  int order;
};

struct ErfcxNode : UnaryNode<Elementwise::erfcx> {
  std::string label() const override { return "erfcx"; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * apply_single(ErfcxDerivative(1), retained_input(0))};
  }
};
}  // namespace

Variable Erfcx::operator()(const Variable& x) const { return apply_single(ErfcxNode(), x); }

}  // namespace chainer::functions
