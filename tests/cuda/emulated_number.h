// SPDX-License-Identifier: MIT
#pragma once
#include <chainer/chainer.h>

#include <cstdlib>

/// An emulated device; with CHAINER_TEST_DEVICE the one of that name, whatever the number (tests/cuda/day).
inline chainer::Device emulated_number(int i) {
  const char* chosen = std::getenv("CHAINER_TEST_DEVICE");
  return chainer::get_device(chosen ? chosen : chainer::text("@cuda-emulated:", i));
}
