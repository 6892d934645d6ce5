// SPDX-License-Identifier: MIT
#include "chainer/optimizers/optimizer_hooks.h"

#include <algorithm>
#include <cmath>

#include "chainer/routines/arithmetic.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer::optimizer_hooks {
namespace {
// Parameters without data or gradient are skipped.
bool ready(const Parameter& p) { return p.is_initialized() && p.grad(); }
// The sum of squares, in float64. Squares of 16-bit numbers would overflow from 256 on and vanish below 2e-4.
Array squares(const Array& a) {
  return sum(square(item_size(a.dtype()) == 2 ? a.astype(float32) : a), {}, false, float64);
}
// On a device the norm stays there, which avoids waiting for it.
Array norm_there(const Array& a) { return sqrt(squares(a)); }
double norm(const Array& a) { return norm_there(a).item<double>(); }
}  // namespace

void WeightDecay::operator()(UpdateRule&, Parameter& p) {
  if (ready(p)) p.set_grad(p.grad() + p.array() * rate);
}
void Lasso::operator()(UpdateRule&, Parameter& p) {
  if (ready(p)) p.set_grad(p.grad() + sign(p.array()) * rate);
}
void GradientClipping::operator()(Optimizer& optimizer) {
  double total = 0;
  const std::vector<Parameter> params = optimizer.target().params(false);
  const auto there = std::find_if(params.begin(), params.end(), ready);
  if (there != params.end() && !there->grad().device().is_host()) {
    Array sum;
    for (const Parameter& p : params)
      if (ready(p)) sum = sum ? sum + squares(p.grad()) : squares(p.grad());
    const Array rate = threshold / sqrt(sum), one = scalar_array(1.0, rate), used = where(less(rate, one), rate, one);
    for (Parameter p : params)
      if (ready(p)) p.set_grad(p.grad() * used.astype(p.grad().dtype()));
    return;
  }
  for (const Parameter& p : params)
    if (ready(p)) total += squares(p.grad()).item<double>();
  const double rate = threshold / std::sqrt(total);
  if (!(rate < 1)) return;
  for (Parameter p : params)
    if (ready(p)) p.set_grad(p.grad() * rate);
}
void GradientHardClipping::operator()(UpdateRule&, Parameter& p) {
  if (ready(p)) p.set_grad(clip(p.grad(), lower_bound, upper_bound));
}
Array GradientNoise::exponential_decay_noise(const Shape& shape, Dtype dtype, const GradientNoise& hook,
                                             const UpdateRule& rule) {
  return random::normal(0, std::sqrt(hook.eta / std::pow(1 + static_cast<double>(rule.t), 0.55)), shape, dtype);
}
void GradientNoise::operator()(UpdateRule& rule, Parameter& p) {
  if (ready(p)) p.set_grad(p.grad() + noise_func_(p.shape(), p.dtype(), *this, rule).to_device(p.grad().device()));
}
void GradientLARS::operator()(UpdateRule&, Parameter& p) {
  if (!ready(p)) return;
  if (!p.grad().device().is_host()) {
    const Array w = norm_there(p.array()), rate = w / (eps + norm_there(p.grad()) + weight_decay * w);
    const Array used = where(greater(w, threshold), rate, scalar_array(1.0, rate)).astype(p.grad().dtype());
    p.set_grad((p.grad() + p.array() * weight_decay) * used);
    return;
  }
  const double w = norm(p.array()), g = norm(p.grad());
  const double rate = w > threshold ? w / (eps + g + weight_decay * w) : 1;
  p.set_grad((p.grad() + p.array() * weight_decay) * rate);
}

}  // namespace chainer::optimizer_hooks
