// SPDX-License-Identifier: MIT
// Several operations on float32 in one loop, whose intermediate values stay in vector registers, and their compilation
// to machine code.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/operations/families.h"

namespace chainer::cpu {

/// The loop as data. Every value is computed once or loaded from memory. Values are float32 (those of 16-bit types are
/// rounded to them) or true and false.
struct FusedLoop {
  /// The type of a value's elements in memory. Elements are consecutive.
  enum class Format : uint8_t { float32, float16, bfloat16, mask };
  struct Value {
    Format format = Format::float32;
    bool loaded = false;    ///< read from memory
    bool stored = false;    ///< written to memory
    bool repeated = false;  ///< a loaded value whose elements are all the same
    bool narrow = false;    ///< a loaded value whose elements are exact in bfloat16
  };
  /// kernel: out = op(in...). The others convert in[0].
  enum class Kind : uint8_t { kernel, to_float16, to_bfloat16, to_mask, from_mask };
  struct Instruction {
    Kind kind;
    Elementwise op;
    int out;
    std::array<int, 3> in;
  };
  std::vector<Value> values;
  std::vector<Instruction> code;
};

/// A compiled loop.
struct FusedCode {
  /// Computes n >= lanes elements. `operands` has an address for each value that is loaded or stored.
  using Function = void (*)(char* const* operands, int64_t n);
  static constexpr std::size_t kMostOperands = 128;
  struct Operand {
    int bytes;  ///< of an element
    bool stored;
  };
  Function function = nullptr;
  int lanes = 0;                       ///< elements in a vector
  std::vector<Operand> operands;       ///< in the order of the values
  std::shared_ptr<const void> memory;  ///< holds the machine code

  /// Computes n elements, from and to these addresses. Memory that is written must not overlap memory that is read.
  void run(char* const* addresses, int64_t n) const;
};

/// Returns the size of an element in memory.
constexpr int bytes(FusedLoop::Format f) {
  return f == FusedLoop::Format::float32 ? 4 : f == FusedLoop::Format::mask ? 1 : 2;
}
/// Returns the operands of a loop: its loaded and stored values, in the order of the values.
std::vector<FusedCode::Operand> operands_of(const FusedLoop& loop);

/// Returns true if there is a compiler for this processor and the instruction set in use.
bool compiles_loops();
/// Returns true if the compiler knows the operation, with the bits of its kernel.
bool compiles(Elementwise op);
/// Compiles a loop. The result has no function if the loop needs too many registers or operands, or if the system
/// refuses memory for machine code.
FusedCode compile(const FusedLoop& loop);
/// Returns the compiler's name and version; empty if there is none.
std::string loop_compiler();

}  // namespace chainer::cpu
