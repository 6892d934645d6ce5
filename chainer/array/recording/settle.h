// Steps of a recording that depend on nothing but what stays.
#pragma once
#include <vector>

#include "chainer/array/recording/tape.h"

namespace chainer::recording {

/// Moves the steps that read only members and constants to phase.settled, which run once: a replay of an LSTM layer does
/// not put its gates' weights in order again. What they write gets memory of its own, for as long as the tape lives if
/// other steps read it. The phase is the only one.
void settle(Phase& phase, std::vector<Slot>& slots);

}  // namespace chainer::recording
