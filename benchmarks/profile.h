// SPDX-License-Identifier: MIT
// The time of a step by function.
#pragma once
#include <cstdio>
#include <functional>

namespace bench {

/// Runs the step `count` times under hooks and prints by function the calls, milliseconds forward and backward, and
/// bytes allocated, per step; programs of deferred operations have separate lines.
void profile(const std::function<void()>& step, int count, std::FILE* to);

}  // namespace bench
