// SPDX-License-Identifier: MIT
// Tests whether an array may be modified in place although handles are reference-counted.
#pragma once
#include "chainer/array/array.h"
#include "chainer/array/external.h"

namespace chainer {

/// Returns true if `a` is writable and is the only handle to its elements: no other handle, view or pending computation
/// refers to them, and no owner outside of this library (external_array(), to_dlpack()), which is not counted.
/// FunctionNode::backward_accumulate() requires this before it adds to a gradient in place; otherwise the memory may
/// also be another variable's gradient, or an array that the caller passed to set_grad() or kept.
inline bool is_exclusive(const Array& a) {
  const ArrayBody& b = a.body();
  if (!is_writable(a) || has_owner_outside(a)) return false;
  return b.refs.value() == 1 && (!b.base || b.base->refs.value() == 1);
}

}  // namespace chainer
