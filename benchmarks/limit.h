// SPDX-License-Identifier: MIT
// The least time that a step can take on this machine.
#pragma once
#include "workload.h"

namespace bench {

/// The work of a step: multiplications (chainer/array/multiply_adds.h), and bytes that it must read or write:
/// parameters, gradients, states of optimizers and inputs once, and twice the memory that it allocates, which it writes
/// and reads.
struct Work {
  double multiply_adds = 0, bytes = 0;
};
/// Runs the step and returns its work.
Work work_of(Step& step);

/// A lower bound of a step's time in milliseconds: that of its multiplications at the rate of the fastest matrix
/// product here, or that of its bytes at the rate of a copy of as many, whichever is larger.
struct Limit {
  double arithmetic = 0, memory = 0;
  double ms() const { return arithmetic > memory ? arithmetic : memory; }
  const char* bound_by() const { return arithmetic > memory ? "arithmetic" : "memory"; }
};
/// Measures products and copies with the threads in use.
Limit limit_of(const Work& work);

}  // namespace bench
