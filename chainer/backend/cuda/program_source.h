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

/// Returns source code in the dialect (kernels/compiled.h) of a kernel with this name. For all programs of this
/// signature it takes the same arguments and gives the same results as the kernel `program`, for any launch size and
/// without shared memory.
std::string program_source(const ProgramArgs& a, std::string_view kernel);

}  // namespace chainer::cuda
