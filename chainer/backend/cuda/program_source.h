// SPDX-License-Identifier: MIT
// Source code of kernels for programs of elementwise operations.
#pragma once
#include <string>
#include <string_view>

#include "chainer/backend/cuda/kernels/program.h"

namespace chainer::cuda {

/// Appends to `out` a signature that is equal for programs that one kernel can serve: instructions, types, and layouts
/// of operands (consecutive, single or strided), but not lengths, strides and addresses.
void add_signature(const ProgramArgs& a, std::string& out);

/// Returns the number of axes whose lengths and strides the compiled program reads.
int axes_of(const ProgramArgs& args);

/// Calls f with the smallest of these types that has room. (f is called with a null pointer to it.)
template <class F>
void with_compact_args(int operands, int axes, F&& f) {
  const auto with = [&]<int n>(CompactArgs<n, 0>*) {
    if (axes == 0)
      f(static_cast<CompactArgs<n, 0>*>(nullptr));
    else if (axes <= 4)
      f(static_cast<CompactArgs<n, 4>*>(nullptr));
    else
      f(static_cast<CompactArgs<n, kAxes>*>(nullptr));
  };
  if (operands <= 4)
    with(static_cast<CompactArgs<4, 0>*>(nullptr));
  else if (operands <= 8)
    with(static_cast<CompactArgs<8, 0>*>(nullptr));
  else
    with(static_cast<CompactArgs<ProgramArgs::kOperands, 0>*>(nullptr));
}

/// Returns source code in the dialect (kernels/compiled.h) of a kernel with this name. For all programs of this
/// signature it takes the same CompactArgs and gives the same results as the kernel `program`, for any launch size and
/// without shared memory.
std::string program_source(const ProgramArgs& a, std::string_view kernel);

}  // namespace chainer::cuda
