#pragma once
#include <chainer/chainer.h>

/// An emulated device.
inline chainer::Device emulated_number(int i) { return chainer::get_device(chainer::text("@cuda-emulated:", i)); }
