// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/dashboard.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "chainer/core/clock.h"
#include "chainer/training/extensions/reporting.h"
#include "chainer/training/extensions/terminal.h"

namespace chainer::training::extensions {
namespace {

// Returns nullptr if the trainer has no extension named LogReport, or if it is of another type.
const LogReport* log_of(const Trainer& trainer) {
  try {
    return dynamic_cast<const LogReport*>(&trainer.get_extension("LogReport"));
  } catch (const ValueError&) { return nullptr; }
}

// If one process of several stopped, the others would wait for it.
bool is_one_of_several(const Trainer& trainer) {
  const auto optimizers = trainer.updater().get_all_optimizers();
  return std::any_of(optimizers.begin(), optimizers.end(), [](const auto& o) { return o.second->processes() > 1; });
}

}  // namespace

Dashboard::Dashboard(const DashboardOptions& options) : options_(options) {
  if (!(options_.interval > 0) || !(options_.line_interval > 0))
    throw ValueError("Dashboard: intervals must be positive, not ", options_.interval, " and ", options_.line_interval);
}

void Dashboard::initialize(Trainer& trainer) {
  terminal_ = redraws(options_.out) && !std::getenv("NO_COLOR") && !std::getenv("CI");
  state_.columns = options_.columns;
  // A resumed run shows the log of the iterations before.
  if (const LogReport* log = log_of(trainer)) {
    told_ = log->log().size();
    for (const json::Value& entry : log->log()) {
      const json::Value* x = entry.find("iteration");
      if (!x || !x->is_number() || !entry.object()) continue;
      for (const auto& [key, v] : *entry.object())
        if (v.is_number() && key.find('/') != key.npos) state_.curves[key].add(x->number(), v.number());
    }
  }
  meter_.begin(trainer);
  next_ = now() + (terminal_ ? 0 : options_.line_interval);
  if (terminal_) keys_ = std::make_shared<TerminalKeys>(options_.out);
}

void Dashboard::obey(Trainer& trainer, const std::string& keys) {
  for (const char key : keys) {
    if (key == 'c' || key == '\t') ++state_.chosen;
    if ((key == 's' || key == 'q') && is_one_of_several(trainer)) {
      state_.message = "keys s and q work in runs of one process only";
      continue;
    }
    if (key == 's' || key == 'q') state_.message = "snapshot: " + trainer.take_snapshot().string();
    if (key == 'q') {
      state_.message += ", the run stops";
      trainer.stop();
    }
  }
}

void Dashboard::operator()(Trainer& trainer) {
  const auto x = static_cast<double>(trainer.updater().iteration());
  for (const auto& [key, v] : trainer.observation)
    if (v.is_scalar() && key.find('/') != key.npos) state_.curves[key].add(x, v.number());
  const double time = now();
  const LogReport* log = log_of(trainer);
  const bool entry = !terminal_ && log && log->log().size() > told_;
  if (time < next_ && !entry) return;
  next_ = time + (terminal_ ? options_.interval : options_.line_interval);
  meter_.measure(trainer, state_);
  state_.log = log ? &log->log() : nullptr;
  if (keys_) obey(trainer, keys_->pressed());
  if (terminal_) {
    draw(false);
  } else {
    told_ = log ? log->log().size() : 0;
    std::fprintf(options_.out, "%s\n", dashboard_line(state_).c_str());
    std::fflush(options_.out);
  }
  state_.log = nullptr;
}

// Leaves the cursor in an empty line above the picture, for messages from elsewhere.
void Dashboard::draw(bool last) {
  const TerminalSize size = terminal_size(options_.out).value_or(TerminalSize{24, 80});
  const bool resized = drawn_ && (size.rows != size_.rows || size.columns != size_.columns);
  size_ = size;
  const std::vector<std::string> lines = dashboard_lines(state_, size);
  std::string out = resized ? "\033[H\033[2J" : "\r\033[J";
  for (const std::string& line : lines) out += "\n" + line;
  if (last)
    out += "\n";
  else if (!lines.empty())
    out += "\r\033[" + std::to_string(lines.size()) + "A";
  drawn_ = true;
  std::fputs(out.c_str(), options_.out);
  std::fflush(options_.out);
}

void Dashboard::finalize() {
  if (drawn_) draw(true);
  drawn_ = false;
  keys_.reset();
}

}  // namespace chainer::training::extensions
