// SPDX-License-Identifier: MIT
// A computation on arrays that is recorded once for each layout of its arguments and then replayed.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::recording {

/// Recordings of one function of arrays. Other arrays that the function reads (weights) are assumed to be constant:
/// call clear() when they change. A replay uses one block of memory, which is kept for the next replay. May be called
/// by several threads; each uses its own recording. A function that cannot be recorded (see recorder.h) is executed at
/// each call.
class Replays {
 public:
  using Function = std::function<Arrays(const Arrays&)>;
  /// Keeps recordings of the `most` layouts used last.
  explicit Replays(std::size_t most = 8);
  Replays(const Replays&) = delete;
  Replays& operator=(const Replays&) = delete;
  ~Replays();

  /// Returns f(inputs). f must be the same function at each call. The first call with a layout executes f; the second
  /// executes and records it, because by then f has prepared its cached data; later calls replay.
  Arrays operator()(const Function& f, const Arrays& inputs);
  void clear();

  /// How often f was executed, recorded and replayed.
  struct Counts {
    int64_t run = 0, recorded = 0, replayed = 0;
  };
  Counts counts() const;
  /// Returns the reason for which f is not recorded; empty if it is.
  std::string refused() const;

 private:
  struct Recording;
  struct Layout;
  std::unique_ptr<Recording> take(const std::vector<int64_t>& layout, bool& record);
  void give_back(std::unique_ptr<Recording> r);
  static Arrays record(const Function& f, const Arrays& inputs, Recording& r);

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Recording>> idle_;
  std::vector<std::vector<int64_t>> seen_;  // layouts of calls, most recent last
  uint64_t generation_ = 0;                 // counts clear()
  Counts counts_;
  std::string refused_;
};

}  // namespace chainer::recording
