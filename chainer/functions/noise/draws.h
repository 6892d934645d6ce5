// SPDX-License-Identifier: MIT
// Draws of functions: on the host NumPy's numbers for a seed, on other devices those of the counter-based generator,
// which are drawn there.
#pragma once
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/random.h"

namespace chainer::functions {

/// Numbers uniform in [low, high).
inline Array uniform_draws(double low, double high, const Shape& shape, Dtype dtype, const Device& device) {
  return device.is_host() ? random::uniform(low, high, shape, dtype)
                          : random::bulk(RandomFill::uniform, low, high, shape, dtype, device);
}
/// 0 with probability `ratio`, else 1.
inline Array kept_draws(double ratio, const Shape& shape, Dtype dtype, const Device& device) {
  return device.is_host() ? (random::global().random_sample(shape) >= ratio).astype(dtype)
                          : random::bulk(RandomFill::bernoulli, 1 - ratio, 1, shape, dtype, device);
}
/// Numbers of the Gumbel distribution of location 0 and scale 1.
inline Array gumbel_draws(const Shape& shape, Dtype dtype, const Device& device) {
  if (device.is_host()) return random::global().gumbel(0, 1, shape, dtype);
  const Dtype wide = compute_dtype(dtype);
  const Array uniform = random::bulk(RandomFill::uniform, 0, 1, shape, wide, device);
  const Array positive = chainer::maximum(uniform, 0x1p-25);  // the smallest one is 0
  return (-chainer::log(-chainer::log(positive))).astype(dtype, false);
}

}  // namespace chainer::functions
