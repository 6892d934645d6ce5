// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/array/host.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"

namespace chainer {

namespace {
constexpr double kLargestScale = 65504;  // of float16
}  // namespace

void Optimizer::loss_scaling(const LossScalingOptions& o) {
  const double first = o.scale.value_or(o.initial);
  if (!(first > 0) || !std::isfinite(first)) throw ValueError("loss_scaling: the scale must be positive, not ", first);
  if (o.interval < 1) throw ValueError("loss_scaling: interval must be positive, not ", o.interval);
  loss_scale_ = first;
  growth_ = o.scale ? 0 : std::exp2(1 / static_cast<double>(o.interval));
}

void Optimizer::check_nan_in_grads() {
  Array bad;
  for (const Parameter& p : target().params(false)) {
    const Array& g = p.grad();
    if (!g || g.size() == 0 || !is_floating(g.dtype())) continue;
    const Array here = to_host(any(logical_not(isfinite(g))));
    bad = bad ? logical_or(bad, here) : here;
  }
  safe_ = !bad || !bad.item<bool>();
}

void Optimizer::update_loss_scale() {
  if (!scales_dynamically()) return;
  loss_scale_ = safe_ ? std::min(kLargestScale, *loss_scale_ * growth_) : std::max(1.0, *loss_scale_ / 2);
}

bool Optimizer::skips_update() {
  if (!scales_dynamically()) return false;
  check_nan_in_grads();
  update_loss_scale();
  skipped_updates_ += !safe_;
  return !safe_;
}

void Optimizer::unscale_gradients() {
  for (Parameter& p : target().params(false)) {
    const double scale = p.loss_scale();
    // (In 16 bits small numbers would vanish: rules with a copy in float32 divide there.)
    if (scale == 1 || !p.grad() || item_size(p.dtype()) == 2) continue;
    p.set_grad(p.grad() * (1 / scale));
    p.variable().node()->set_loss_scale({});
  }
}

void Optimizer::serialize_loss_scale(Serializer& s) {
  if (!scales_dynamically() || !s.contains("loss_scale")) return;
  double scale = *loss_scale_;
  s("loss_scale", scale);
  if (!(scale > 0) || !std::isfinite(scale)) throw ValueError("'loss_scale': ", scale, " is not positive");
  loss_scale_ = scale;
  s.count("skipped_updates", skipped_updates_);
}

}  // namespace chainer
