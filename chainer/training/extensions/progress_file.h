// SPDX-License-Identifier: MIT
// The files in which a run reports its progress (chainer/viewing/live/progress.h).
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chainer/autograd/reporter.h"
#include "chainer/training/extensions/progress_meter.h"

namespace chainer::training::extensions {

/// Writes the files `progress`, about once a second, and `curves`, for the first epochs, into a trainer's folder. A
/// file that cannot be written is a warning. Values on devices are read when the files are written, so that iterations
/// do not wait.
class ProgressFile {
 public:
  /// Called when the run begins. Removes the curves of an old run; a resumed run continues them.
  void begin(Trainer& trainer);
  /// Called after each iteration.
  void step(Trainer& trainer);
  /// Called again and again while the run is paused; `first` writes at once.
  void pause(const Trainer& trainer, bool first);
  void resume(const Trainer& trainer);
  /// Called at the end: writes "finished", "failed" or "stopped".
  void end(const Trainer& trainer);

 private:
  struct Curve {
    BoundedCurve points = {};
    std::vector<std::pair<double, ReportValue>> unread = {};
  };
  void load_curves(const Trainer& trainer);
  void write(const Trainer& trainer, const std::string& state);
  void write_curves(const Trainer& trainer);
  ProgressMeter meter_;
  RunProgress progress_;
  std::map<std::string, Curve> curves_;
  bool records_ = false, warned_ = false;
  double interval_ = 0, written_ = 0, next_ = 0, next_curves_ = 0;
};

}  // namespace chainer::training::extensions
