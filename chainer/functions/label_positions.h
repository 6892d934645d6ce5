// SPDX-License-Identifier: MIT
// Labels that select an element of each row.
#pragma once
#include "chainer/array/backend.h"
#include "chainer/array/operations/indices.h"
#include "chainer/core/error.h"

namespace chainer::functions {

/// Returns the positions of the elements (i, t[i]) in flattened scores (N, classes). Labels out of range are an
/// IndexError of the function, thrown by t's device.
template <class Function>
Array label_positions(const Array& t, int64_t classes) {
  Array out(Shape{t.size()}, int64, t.device());
  const auto fail = [](int64_t label, int64_t position, const IndexCheck& c) {
    throw IndexError(Function::name, ": label ", label, " at position ", position, " is not in 0 ... ", c.size - 1);
  };
  t.device().backend().check_indices({.size = classes, .columns = true, .fail = fail}, t, out);
  return out;
}

}  // namespace chainer::functions
