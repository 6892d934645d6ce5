// SPDX-License-Identifier: MIT
// Copies between layouts, dtypes and devices.
#include "chainer/array/backend.h"
#include "chainer/array/operations/ops.h"
#include "chainer/array/order.h"

namespace chainer {

Array constant(Scalar value, Dtype dtype, const Device& device) {
  if (!device.is_host()) [[unlikely]]
    return device.backend().constant(value, dtype, device);
  Array out(Shape{}, dtype, device);
  visit(dtype, "constant", [&]<class T>() { *static_cast<T*>(out.mutable_raw()) = value.to<T>(); });
  return out;
}

void copy_elements(const Array& from, Array& to) {
  if (from.device() != to.device()) [[unlikely]]
    return copy_elements(from.to_device(to.device()), to);
  if (!from.is_contiguous() || !to.is_contiguous())
    if (from.size() > 1 && !follows(from.body(), memory_order(to))) count_order_copy();
  const Array* const inputs[] = {&from};
  to.device().backend().elementwise(Elementwise::copy, inputs, to, conversion_type(from.dtype(), to.dtype()));
}

Array dense(const Array& a, Dtype dtype) { return a.astype(dtype, false).contiguous(); }

}  // namespace chainer
