// SPDX-License-Identifier: MIT
// Hoisting of the constant steps of a recording.
#pragma once
#include <vector>

#include "chainer/array/recording/tape.h"

namespace chainer::recording {

/// Moves the steps that read only members and constants to phase.hoisted, which runs once: a replay of an LSTM layer,
/// for example, does not reorder the weights of its gates again. If other steps read their results, these get memory
/// for as long as the tape lives. The tape must have a single phase.
void hoist_constants(Phase& phase, std::vector<Slot>& slots, const Device& device);

}  // namespace chainer::recording
