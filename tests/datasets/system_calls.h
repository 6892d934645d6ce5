// SPDX-License-Identifier: MIT
// System calls of the test program that fail, or transfer only a part, on demand.
#pragma once
#include <cstddef>

namespace test {

/// Limits for calls in this process and its children.
struct SystemCalls {
  std::size_t largest_part = 0;  ///< send() and recv() transfer a random number of bytes up to this; 0: all
  bool tiny_buffers = false;     ///< new sockets buffer as little as the system allows
  int forks_left = -1;           ///< number of calls of fork() that succeed, later ones fail; -1: all
  int sockets_left = -1;         ///< the same for socketpair()
};
extern SystemCalls system_calls;

/// Restores the usual behavior in its destructor.
struct WithSystemCalls {
  explicit WithSystemCalls(const SystemCalls& s) { system_calls = s; }
  ~WithSystemCalls() { system_calls = {}; }
};

}  // namespace test
