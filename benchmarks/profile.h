// Where a step's time goes, by function.
#pragma once
#include <cstdio>
#include <functional>

namespace bench {

/// Runs the step `count` times under hooks and prints, by function, calls, milliseconds forward and backward, and
/// bytes allocated, each for one step; programs of deferred operations have lines of their own.
void profile(const std::function<void()>& step, int count, std::FILE* to);

}  // namespace bench
