// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/direct_kernel.h"

#include "chainer/array/deferred/deferred.h"
#include "chainer/array/operations/ops.h"
#include "chainer/backend/cpu/cpu_backend.h"

namespace chainer::host_kernels {

Kernel direct_kernel(Elementwise op, std::span<const Array* const> inputs, const Array& out, Dtype compute) {
  const cpu::Compute c = cpu::compute_type(compute);
  bool simple = category(op) != Category::compare && op != Elementwise::where && out.size() > 0 &&
                out.size() < deferred::kLeast && out.is_contiguous() && cpu::stored_as(out.dtype(), c);
  for (const Array* a : inputs) simple = simple && a->is_contiguous() && a->dtype() == out.dtype();
  return simple ? cpu::kernels().elementwise[c][static_cast<int>(op)] : nullptr;
}

}  // namespace chainer::host_kernels
