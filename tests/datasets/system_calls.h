// SPDX-License-Identifier: MIT
// System calls of the test program that fail, or do less than they were asked for, on demand.
#pragma once
#include <cstddef>

namespace test {

/// What becomes of calls in this process and its children.
struct SystemCalls {
  std::size_t largest_part = 0;  ///< send() and recv() pass at most so many bytes, and a random number of them; 0: all
  bool tiny_buffers = false;     ///< new sockets buffer as little as the system allows
  int forks_left = -1;           ///< so many calls of fork() succeed, later ones have no process; -1: all
  int sockets_left = -1;         ///< the same for socketpair()
};
extern SystemCalls system_calls;

/// Restores the usual calls at its end.
struct WithSystemCalls {
  explicit WithSystemCalls(const SystemCalls& s) { system_calls = s; }
  ~WithSystemCalls() { system_calls = {}; }
};

}  // namespace test
