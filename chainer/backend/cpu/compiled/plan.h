// SPDX-License-Identifier: MIT
// How a program runs with compiled loops.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chainer/array/deferred/pending.h"
#include "chainer/backend/cpu/compiled/fused_loop.h"
#include "chainer/core/small_vector.h"

namespace chainer::cpu {

/// The order in which instructions of a program run, where those that follow each other and are known to the compiler
/// are joined to loops. Other instructions move before a loop if they do not need its results.
struct LoopPlan {
  /// The memory of a loop's operand: a slot of the program, or the source of a `load`.
  struct Operand {
    int slot = -1;
    int load = -1;  ///< number of the instruction
  };
  /// A compiled loop, or one instruction of the program.
  struct Item {
    int instruction = -1;
    FusedCode loop;
    SmallVector<Operand, 8> operands;
  };
  std::vector<Item> items;
  /// The registers of slots, which replace the program's; -1 for a slot without one, or with the program's.
  std::vector<int> registers;
  int register_count = 0;  ///< with those of the program
};

/// Plans a program; nullptr if it has no loop of several instructions. `dense` says which loads read consecutive
/// elements in the order of the space.
std::shared_ptr<const LoopPlan> make_plan(const Program& program, std::span<const bool> dense);
/// Returns the plan for a program, kept by its structure; nullptr if its instructions run one by one: make_plan()
/// finds no loop, there is no compiler (or CHAINER_JIT is "none"), or the program was met fewer than three times
/// (unless CHAINER_JIT is "always"). Any number of threads may call.
std::shared_ptr<const LoopPlan> loop_plan(const Program& program, std::span<const bool> dense);
/// Returns the number of programs with compiled loops so far.
int64_t compiled_programs();
/// Says for runtime_info() whether loops are compiled.
std::string loops_in_use();

}  // namespace chainer::cpu
