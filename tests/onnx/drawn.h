// SPDX-License-Identifier: MIT
#pragma once
#include <chainer/chainer.h>

/// Normally distributed numbers without gradient.
inline chainer::Variable drawn(const chainer::Shape& s, uint32_t seed = 0) {
  return chainer::Variable(chainer::random::RandomState(seed).randn(s, chainer::float32), false);
}
