// SPDX-License-Identifier: MIT
#pragma once
#include "chainer/array/index.h"
#include "python/core/bridge.h"

namespace chainer::python {

/// Converts a Python index: integers, slices, None, Ellipsis, lists and arrays, or a tuple of them.
Indices load_indices(PyObject* index);
const PyType_Slot* variable_slots();

}  // namespace chainer::python
