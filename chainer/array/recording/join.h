// Steps of a recording that become one.
#pragma once
#include <vector>

#include "chainer/array/deferred/pending.h"
#include "chainer/array/recording/tape.h"

namespace chainer::recording {

/// A program as a step: where its arrays stand in the list of operands, -1 for none.
struct ProgramStep {
  Program program;
  std::vector<int> slots, constants, code, reductions;
  /// The program with the arrays of a run, in place of those of the last one.
  Program& on(Array* const* operands);
};

/// Lets a forward convolution run together with the elementwise program that reads its results next, a part of the
/// results at a time, and write to the program's memory where nobody else wants its own. The bits stay the same.
void join_convolutions(Phase& phase, const std::vector<Slot>& slots);

}  // namespace chainer::recording
