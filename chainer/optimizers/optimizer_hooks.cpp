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
// The sum of squares. Squares of 16-bit numbers would overflow from 256 on and vanish below 2e-4.
Array squares(const Array& a) { return sum(square(item_size(a.dtype()) == 2 ? a.astype(float32) : a)); }
// The sum of squares of a gradient without its loss scale, which the gradients of 16-bit parameters keep.
Array gradient_squares(const Parameter& p) {
  const double scale = p.loss_scale();
  return scale == 1 ? squares(p.grad()) : squares(p.grad()) * (1 / (scale * scale));
}
double norm(const Array& squares) { return std::sqrt(squares.item<double>()); }
}  // namespace

void WeightDecay::operator()(UpdateRule&, Parameter& p) {
  if (ready(p)) p.set_grad(p.grad() + p.array() * (rate * p.loss_scale()));
}
void Lasso::operator()(UpdateRule&, Parameter& p) {
  if (ready(p)) p.set_grad(p.grad() + sign(p.array()) * (rate * p.loss_scale()));
}
void GradientClipping::operator()(Optimizer& optimizer) {
  double total = 0;
  const std::vector<Parameter> params = optimizer.target().params(false);
  const auto first = std::find_if(params.begin(), params.end(), ready);
  const bool on_one_device = first != params.end() && std::all_of(first, params.end(), [&](const Parameter& p) {
                               return !ready(p) || p.grad().device() == first->grad().device();
                             });
  if (on_one_device && !first->grad().device().is_host()) {
    Array sum;
    for (const Parameter& p : params)
      if (ready(p)) sum = sum ? sum + gradient_squares(p) : gradient_squares(p);
    const Array rate = threshold / sqrt(sum.astype(float64)), one = scalar_array(1.0, rate),
                used = where(less(rate, one), rate, one);
    for (Parameter p : params)
      if (ready(p)) p.set_grad(p.grad() * used.astype(p.grad().dtype()));
    return;
  }
  for (const Parameter& p : params)
    if (ready(p)) total += gradient_squares(p).item<double>();
  const double rate = threshold / std::sqrt(total);
  if (!(rate < 1)) return;
  for (Parameter p : params)
    if (ready(p)) p.set_grad(p.grad() * rate);
}
void GradientHardClipping::operator()(UpdateRule&, Parameter& p) {
  if (ready(p)) p.set_grad(clip(p.grad(), lower_bound * p.loss_scale(), upper_bound * p.loss_scale()));
}
Array GradientNoise::exponential_decay_noise(const Shape& shape, Dtype dtype, const GradientNoise& hook,
                                             const UpdateRule& rule) {
  return random::normal(0, std::sqrt(hook.eta / std::pow(1 + static_cast<double>(rule.t), 0.55)), shape, dtype);
}
void GradientNoise::operator()(UpdateRule& rule, Parameter& p) {
  if (!ready(p)) return;
  const Array noise = noise_func_(p.shape(), p.dtype(), *this, rule).to_device(p.grad().device());
  p.set_grad(p.grad() + (p.loss_scale() == 1 ? noise : noise * p.loss_scale()));
}
void GradientLARS::operator()(UpdateRule&, Parameter& p) {
  if (!ready(p)) return;
  const double decay = weight_decay * p.loss_scale();
  if (!p.grad().device().is_host()) {
    // Norms stay on the device, which avoids waiting for them.
    const Array w = sqrt(squares(p.array())), rate = w / (eps + sqrt(gradient_squares(p)) + weight_decay * w);
    const Array used = where(greater(w, threshold), rate, scalar_array(1.0, rate)).astype(p.grad().dtype());
    p.set_grad((p.grad() + p.array() * decay) * used);
    return;
  }
  const double w = norm(squares(p.array())), g = norm(gradient_squares(p));
  const double rate = w > threshold ? w / (eps + g + weight_decay * w) : 1;
  p.set_grad((p.grad() + p.array() * decay) * rate);
}

}  // namespace chainer::optimizer_hooks
