// Programs of elementwise operations as sources of kernels.
#pragma once
#include <string>
#include <string_view>

#include "chainer/backend/cuda/kernels/program.h"

namespace chainer::cuda {

/// Adds to `out` the bytes that two programs share where one kernel serves both: instructions, types, and how operands
/// lie (one behind the other, all in one place, or in any way); not lengths, strides, addresses.
void add_signature(const ProgramArgs& a, std::string& out);

/// A source in the dialect (kernels/compiled.h) whose kernel of that name has the arguments and the bits of the kernel
/// `program` for all programs of this signature, at any launch's sizes, and needs no shared memory.
std::string program_source(const ProgramArgs& a, std::string_view kernel);

}  // namespace chainer::cuda
