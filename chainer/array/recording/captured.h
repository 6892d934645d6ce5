// SPDX-License-Identifier: MIT
// The graphs of a recording on a device: its steps as few launches.
#pragma once
#include <memory>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {
class CapturedWork;
namespace recording {

/// A phase's steps for the addresses of one run.
struct Capture {
  /// Steps of the phase: one launch, or if `work` is null steps that cannot be captured.
  struct Part {
    std::size_t begin = 0, end = 0;
    std::shared_ptr<CapturedWork> work;
  };
  std::vector<Part> parts;
  std::vector<const void*> addresses;  ///< of bound arrays, and of results of earlier phases
  Arrays results;                      ///< the owners of the phase's results; reused when no other array refers to them
};

/// The captures of a phase, which share the memory of its internal slots.
struct Captures {
  std::vector<Capture> all;
  int runs = 0;  ///< replays so far
  int made = 0;  ///< captures so far
  bool given_up = false;
  memory::Block block;  ///< of a later phase; the first one's is the tape's
};

}  // namespace recording
}  // namespace chainer
