// When an array may be written to in place although handles are shared.
#pragma once
#include "chainer/array/array.h"
#include "chainer/array/external.h"

namespace chainer {

/// Whether `a` is the only handle to its elements, and they may be written to: no other handle, no view and no
/// computation that waits refers to them, and neither do owners outside of this library (external_array(), to_dlpack()),
/// whom nobody counts. What is written through it then surprises nobody. FunctionNode::backward_accumulate() asks this
/// before it adds to a gradient in place; otherwise another variable's gradient, or an array that the user passed to
/// set_grad() or keeps, may have the same memory.
inline bool is_exclusive(const Array& a) {
  const ArrayBody& b = a.body();
  if (!is_writable(a) || has_owner_outside(a)) return false;
  return b.refs.value() == 1 && (!b.base || b.base->refs.value() == 1);
}

}  // namespace chainer
