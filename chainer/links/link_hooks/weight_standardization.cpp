// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/links/link_hooks/named_weight.h"
#include "chainer/links/parameter_hooks.h"

namespace chainer::link_hooks {

void WeightStandardization::added(Link* link) {
  if (!link) throw ValueError("WeightStandardization: add the hook to a link");
  (void)named_weight("WeightStandardization", *link, options_.weight_name);
}

Variable WeightStandardization::replacement(Link& link, const std::string& name, const Parameter& p) {
  if (name != options_.weight_name) return {};
  const int channels = output_axis(link);
  Dims axes;
  for (int i = 0; i < p.ndim(); ++i)
    if (i != channels) axes.push_back(i);
  const Variable mean = F::mean(p, axes, {.keepdims = true});
  const Variable distance = p - F::broadcast_to(mean, p.shape());
  const Variable variance = F::mean(F::square(distance), axes, {.keepdims = true});
  return distance * F::broadcast_to(F::rsqrt(variance + options_.eps), p.shape());
}

}  // namespace chainer::link_hooks
