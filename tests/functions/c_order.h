// SPDX-License-Identifier: MIT
#pragma once
#include <chainer/chainer.h>

/// A copy of a float32 array in C order.
inline chainer::Array c_order(const chainer::Array& a) {
  return chainer::from_data(a.to_vector<float>().data(), a.shape());
}
