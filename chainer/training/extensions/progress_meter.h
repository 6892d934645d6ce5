// SPDX-License-Identifier: MIT
// How far a run is, how fast it is, and what it uses.
#pragma once
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "chainer/training/trainer.h"

namespace chainer::training::extensions {

/// A curve of bounded length: if it becomes too long, pairs of neighbors are replaced by their means.
class BoundedCurve {
 public:
  static constexpr std::size_t kMost = 1024;
  void add(double x, double y);
  const std::vector<std::pair<double, double>>& points() const { return points_; }

 private:
  std::vector<std::pair<double, double>> points_;
  double sum_ = 0;
  int64_t count_ = 0, stride_ = 1;
};

/// Progress and load of a run.
struct RunProgress {
  double iteration = 0, epoch = 0, done = 0, elapsed = 0;
  double left = -1;      ///< seconds; negative if unknown
  double speed = 0;      ///< iterations per second
  double memory = 0;     ///< bytes of the process
  double arrays = 0;     ///< bytes in use by arrays
  double processor = 0;  ///< number of busy cores
};

/// Measures a run. Speed is the mean of the last measurements, the processor's load that since the last one.
class ProgressMeter {
 public:
  void begin(const Trainer& trainer);
  bool has_begun() const { return !recent_.empty(); }
  void measure(const Trainer& trainer, RunProgress& progress);

 private:
  std::deque<std::pair<double, double>> recent_;  // iteration, time
  double cpu_ = 0;
};

}  // namespace chainer::training::extensions
