// SPDX-License-Identifier: MIT
// A view of the run in the terminal: curves, table, time left, keys.
#pragma once
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/core/system/terminal.h"
#include "chainer/training/extensions/progress_meter.h"
#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace training::extensions {

/// The data that a dashboard shows.
struct DashboardState : RunProgress {
  std::map<std::string, BoundedCurve> curves;
  std::size_t chosen = 0;  ///< the group of curves shown; curves with the same last name, such as loss, are a group
  std::vector<std::string> columns;
  const json::List* log = nullptr;
  std::string message;
};
/// Returns the lines for a terminal of this size: at most rows - 1 lines, none wider than columns.
std::vector<std::string> dashboard_lines(const DashboardState& state, TerminalSize size);
/// Returns one line for a file: progress, speed, time left, and the newest entry of the log.
std::string dashboard_line(const DashboardState& state);

/// Options of Dashboard.
struct DashboardOptions {
  std::vector<std::string> columns = {};  ///< of the table; by default epoch, iteration and the keys of the log
  double interval = 0.25;                 ///< seconds between two updates of the screen
  double line_interval = 10;              ///< seconds between two lines of output without a terminal
  std::FILE* out = stdout;
};
/// Shows the run in a terminal: curves of observed values, the table of the extension LogReport, progress, time left,
/// speed, memory, and the number of busy cores. Adapts to the size of the window. Keys: q takes a snapshot and ends the
/// run, s takes a snapshot, c shows the next curves. If the output is not a terminal, with NO_COLOR, CI or TERM=dumb in
/// the environment, and in small windows, prints plain lines instead. Replaces PrintReport and ProgressBar. Throws
/// ValueError for an interval that is not positive.
///
///   const extensions::DashboardOptions options{.columns = {"epoch", "main/loss"}};
class Dashboard : public Extension {
 public:
  explicit Dashboard(const DashboardOptions& options = {});
  CHAINER_OTHER_OPTIONS(Dashboard, ".columns, .interval, .line_interval, .out");
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  int priority() const override { return PRIORITY_LAST; }

 private:
  void obey(Trainer& trainer, const std::string& keys);
  void draw(bool last);
  DashboardOptions options_;
  DashboardState state_;
  std::shared_ptr<TerminalKeys> keys_;
  bool terminal_ = false, drawn_ = false;
  double next_ = 0;
  std::size_t told_ = 0;  // entries of the log that were printed as lines
  ProgressMeter meter_;
  TerminalSize size_{0, 0};
};

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
