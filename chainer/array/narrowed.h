// SPDX-License-Identifier: MIT
// Weights in 16 bits.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// Returns an array's elements in another dtype, for reading only. On the host the copy is kept until the elements are
/// written, so that an update of a weight is followed by one conversion, however often the weight is used.
Array narrowed(const Array& a, Dtype dtype);

}  // namespace chainer
