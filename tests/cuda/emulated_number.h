// SPDX-License-Identifier: MIT
#pragma once
#include <chainer/chainer.h>

#include <cstdlib>

/// Returns emulated device i; with CHAINER_TEST_DEVICE the device of this name, regardless of i (tests/cuda/day).
inline chainer::Device emulated_number(int i) {
  const char* chosen = std::getenv("CHAINER_TEST_DEVICE");
  if (chosen) chainer::global_config().use_cudnn_tensor_core = "never";  // results in float32 are compared
  return chainer::get_device(chosen ? chosen : chainer::text("@cuda-emulated:", i));
}
