// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/dashboard.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "chainer/array/memory.h"
#include "chainer/core/clock.h"
#include "chainer/core/system/machine.h"
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

void BoundedCurve::add(double x, double y) {
  sum_ += y;
  if (++count_ < stride_) return;
  points_.emplace_back(x, sum_ / static_cast<double>(count_));
  sum_ = 0, count_ = 0;
  if (points_.size() < kMost) return;
  for (std::size_t i = 0; i < kMost / 2; ++i)
    points_[i] = {points_[2 * i + 1].first, (points_[2 * i].second + points_[2 * i + 1].second) / 2};
  points_.resize(kMost / 2);
  stride_ *= 2;
}

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
  recent_.assign(1, {static_cast<double>(trainer.updater().iteration()), now()});
  cpu_ = static_cast<double>(std::clock());
  next_ = now() + (terminal_ ? 0 : options_.line_interval);
  if (terminal_) keys_ = std::make_shared<TerminalKeys>(options_.out);
}

void Dashboard::measure(const Trainer& trainer, double time) {
  const Updater& u = trainer.updater();
  DashboardState& s = state_;
  s.iteration = static_cast<double>(u.iteration());
  s.epoch = u.epoch_detail();
  s.elapsed = trainer.elapsed_time();
  const double cpu = static_cast<double>(std::clock());
  s.processor = (cpu - cpu_) / CLOCKS_PER_SEC / std::max(1e-9, time - recent_.back().second);
  cpu_ = cpu;
  recent_.emplace_back(s.iteration, time);
  if (recent_.size() > 40) recent_.pop_front();
  s.speed = (s.iteration - recent_.front().first) / std::max(1e-9, time - recent_.front().second);
  const auto length = trainer.stop_trigger().get_training_length();
  const double at = length && length->second == Unit::iteration ? s.iteration : s.epoch;
  s.done = length && length->first > 0 ? std::min(1.0, at / length->first) : 0;
  s.left = s.done > 0 && s.speed > 0 ? s.iteration * (1 - s.done) / s.done / s.speed : -1;
  s.memory = static_cast<double>(machine::resident_bytes());
  s.arrays = static_cast<double>(memory::statistics().in_use);
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
  measure(trainer, time);
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
