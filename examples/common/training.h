// SPDX-License-Identifier: MIT
// Common parts of the training programs: options, extensions, resuming.
#pragma once
#include <chainer/chainer.h>

#include <string>

#include "options.h"

namespace examples {

struct TrainingOptions {
  long batchsize = 64, epoch = 10, iterations = 0, seed = -1;
  std::string out = "result", resume = {}, device = "@cpu";
  bool resuming = false;

  void add_to(Options& options) {
    options.add("--batchsize", "examples per batch", batchsize, 1);
    options.add("--epoch", "passes over the examples", epoch, 1);
    options.add("--iterations", "stop after this number of batches; 0: only after --epoch", iterations, 0);
    options.add("--out", "folder for the results", out);
    options.add_optional("--resume",
                         "resume from this snapshot (several ranks: from a folder of checkpoints), by default from the "
                         "newest complete one in --out",
                         resuming, resume);
    options.add("--seed", "seed of the random numbers; -1: taken from the system", seed, -1);
  }
  /// The option of programs that run on any device.
  void add_device_to(Options& options) { add_device(options, device); }
  /// When the trainer ends.
  chainer::training::Trigger stop() const {
    return iterations ? chainer::training::Trigger(iterations, "iteration")
                      : chainer::training::Trigger(epoch, "epoch");
  }
  /// When to evaluate and to report: every epoch, or at the end of a shorter run.
  chainer::training::Trigger report() const {
    return iterations ? chainer::training::Trigger(iterations, "iteration") : chainer::training::Trigger(1, "epoch");
  }
  void seed_random() const {
    if (seed >= 0) chainer::random::seed(static_cast<uint32_t>(seed));
  }
};

/// Loads the snapshot requested by --resume, if any.
inline void resume(chainer::Trainer& trainer, const TrainingOptions& o) {
  using namespace chainer;
  if (o.resuming && !o.resume.empty()) {
    serializers::load_npz(o.resume, trainer);
    std::printf("resumed from %s\n", o.resume.c_str());
  } else if (o.resuming) {
    const auto file = extensions::load_newest_snapshot(trainer, o.out);
    if (file)
      std::printf("resumed from %s\n", file->c_str());
    else
      std::printf("no snapshot in %s: starting from the beginning\n", o.out.c_str());
  }
}

/// Adds snapshot, log, table and progress bar, and runs the trainer.
inline void run_trainer(chainer::Trainer& trainer, const TrainingOptions& o, const std::vector<std::string>& columns) {
  using namespace chainer;
  trainer.extend(extensions::snapshot(), {.trigger = o.report()});
  trainer.extend(extensions::LogReport({.trigger = o.report()}));
  trainer.extend(extensions::PrintReport(columns));
  trainer.extend(extensions::ProgressBar());
  resume(trainer, o);
  trainer.run(false);
}

}  // namespace examples
