// SPDX-License-Identifier: MIT
// Fusion of steps of a recording.
#pragma once
#include <vector>

#include "chainer/array/deferred/pending.h"
#include "chainer/array/recording/tape.h"

namespace chainer::recording {

/// A program as a step, with the positions of its arrays in the list of operands; -1 for none.
struct ProgramStep {
  Program program;
  std::vector<int> slots, constants, code, reductions;
  /// Returns the program with the arrays of this run in place of those of the last one.
  Program& on(Array* const* operands);
};

/// Fuses a forward convolution with the elementwise program that reads its result next: both run on one part of the
/// result at a time, and the convolution writes to the program's memory if no other step reads its own. Results stay
/// the same, bit for bit.
void join_convolutions(Phase& phase, const std::vector<Slot>& slots);

}  // namespace chainer::recording
