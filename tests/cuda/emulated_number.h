// SPDX-License-Identifier: MIT
#pragma once
#include <chainer/chainer.h>

#include <cstdlib>

/// Returns emulated device i; with CHAINER_TEST_DEVICE the device of this name, regardless of i (tests/cuda/day).
inline chainer::Device emulated_number(int i) {
  const char* chosen = std::getenv("CHAINER_TEST_DEVICE");
  return chainer::get_device(chosen ? chosen : chainer::text("@cuda-emulated:", i));
}
