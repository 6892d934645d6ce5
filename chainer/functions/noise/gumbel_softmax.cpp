// SPDX-License-Identifier: MIT
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/noise/draws.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable GumbelSoftmax::operator()(const Variable& log_pi, double tau, int64_t axis) const {
  if (!(tau > 0)) throw ValueError("gumbel_softmax: tau must be positive, not ", tau);
  if (log_pi.ndim() < 1) return Variable(ones({}, log_pi.dtype(), log_pi.device()), false);
  const Array noise = gumbel_draws(log_pi.shape(), log_pi.dtype(), log_pi.device());
  return softmax((log_pi + Variable(noise, false)) / tau, axis);
}

}  // namespace chainer::functions
