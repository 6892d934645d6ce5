// What shows a run while it goes: the options of the training programs, and the extensions behind them.
#pragma once
#include <chainer/chainer.h>

#include <string>
#include <vector>

#include "options.h"

namespace examples {

struct Watching {
  bool dashboard = false, tensorboard = false;

  void add_to(Options& options) {
    options.add("--dashboard", "curves, table and keys in the terminal", dashboard);
    options.add("--tensorboard", "write event files, for `tensorboard --logdir OUT`", tensorboard);
  }
  /// Table and progress bar, or the dashboard in their place, and what else was asked for. The trainer has a LogReport.
  void extend(chainer::Trainer& trainer, const std::vector<std::string>& columns, chainer::training::Trigger printing,
              int64_t update_interval) const {
    using namespace chainer;
    if (dashboard) {
      trainer.extend(extensions::Dashboard({.columns = columns}));
    } else {
      trainer.extend(extensions::PrintReport(columns), std::move(printing));
      trainer.extend(extensions::ProgressBar({.update_interval = update_interval}));
    }
    if (tensorboard) trainer.extend(extensions::TensorBoard());
  }
};

}  // namespace examples
