// SPDX-License-Identifier: MIT
#include "chainer/autograd/config.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/noise/draws.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Zoneout::operator()(const Variable& h, const Variable& x, double ratio) const {
  if (!(ratio >= 0 && ratio <= 1)) throw ValueError("zoneout: ratio must be in [0, 1], not ", ratio);
  if (h.shape() != x.shape()) throw DimensionError("zoneout: h has shape ", h.shape(), ", x ", x.shape());
  if (!config().train) return x;
  const Array renewed = kept_draws(ratio, x.shape(), x.dtype(), x.device());
  return h * Variable(1 - renewed, false) + x * Variable(renewed, false);
}

}  // namespace chainer::functions
