// SPDX-License-Identifier: MIT
// Programs of elementwise operations, interpreted by one kernel.
#pragma once
#include "chainer/backend/cuda/kernels/types.h"

namespace chainer::cuda {

/// Instructions out = op(in...), computed in float32, float64 or int64. A place below kOperands is an operand in
/// memory, any other a register. Values are converted to a register's type as to memory. A register has one element for
/// each thread of the block and each of its `each` elements, in the block's shared memory.
struct ProgramArgs {
  static constexpr int kOperands = 24, kInstructions = 96, kRegisters = 64, kMostEach = 4;
  struct Instruction {
    uint8_t operation, inputs;
    Type compute;
    uint8_t out, in[3];
  };

  Space space;
  Operand operands[kOperands];
  Instruction code[kInstructions];
  Type register_type[kRegisters];
  int operand_count, instructions, each, register_bytes;
  template <class F>
  void pointers(F&& f) {
    for (Operand& o : operands) f(o.data);
  }
};

/// The part of ProgramArgs that a compiled program reads, for up to `kOperands` operands and `kAxes` axes: arguments
/// are copied at each launch.
template <int kOperands, int kAxes>
struct CompactArgs {
  struct Space {
    uint32_t size;
    Divider extent[kAxes ? kAxes : 1];
  } space;
  struct Operand {
    char* data;
    int64_t stride[kAxes ? kAxes : 1];
  } operands[kOperands];
  template <class F>
  void pointers(F&& f) {
    for (Operand& o : operands) f(o.data);
  }
};

}  // namespace chainer::cuda
