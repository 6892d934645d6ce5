// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/core/clock.h"
#include "chainer/training/extensions.h"
#include "chainer/training/extensions/terminal.h"

namespace chainer::training::extensions {
namespace {

constexpr double kLineEvery = 10;  // seconds between plain lines

std::string bar(double rate, int length) {
  const int marks = std::clamp(static_cast<int>(rate * length), 0, length);
  return std::string(static_cast<std::size_t>(marks), '#') + std::string(static_cast<std::size_t>(length - marks), '.');
}
std::string bar_line(const char* name, double rate, int length) {
  char percent[32];
  std::snprintf(percent, sizeof percent, "%6.2f%%", 100 * rate);
  return text(name, " [", bar(rate, length), "] ", percent, "\n");
}
std::string duration(double seconds) {
  const auto s = static_cast<long long>(std::max(0.0, seconds));
  char buffer[64];
  if (s >= 86400)
    std::snprintf(buffer, sizeof buffer, "%lld day%s, %lld:%02lld:%02lld", s / 86400, s >= 172800 ? "s" : "",
                  s / 3600 % 24, s / 60 % 60, s % 60);
  else
    std::snprintf(buffer, sizeof buffer, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
  return buffer;
}

}  // namespace

ProgressBar::ProgressBar(const ProgressBarOptions& options) : options_(options) {
  if (options_.update_interval < 1)
    throw ValueError("ProgressBar: update_interval must be 1 or more, not ", options_.update_interval);
  if (options_.bar_length < 0) throw ValueError("ProgressBar: bar_length must not be negative: ", options_.bar_length);
}

void ProgressBar::initialize(Trainer&) {
  terminal_ = redraws(options_.out);
  if (terminal_) count_bars(1);
  last_line_ = now();
}

void ProgressBar::operator()(Trainer& trainer) {
  const Updater& u = trainer.updater();
  const int64_t iteration = u.iteration();
  if (recent_.empty()) recent_.emplace_back(static_cast<double>(iteration), now());
  if (iteration % options_.update_interval != 0) return;
  recent_.emplace_back(static_cast<double>(iteration), now());
  if (recent_.size() > 100) recent_.pop_front();
  const Trigger length_of = options_.training_length.value_or(trainer.stop_trigger());
  const auto length = length_of.get_training_length();
  const double epoch = u.epoch_detail();
  const double done = !length                             ? 0
                      : length->second == Unit::iteration ? static_cast<double>(iteration) / length->first
                                                          : epoch / length->first;
  const auto [first_iteration, first_time] = recent_.front();
  const double speed =
      (static_cast<double>(iteration) - first_iteration) / std::max(1e-9, recent_.back().second - first_time);
  // The iterations left. The length of an epoch is not known; it is estimated from the position.
  double left = 0;
  if (length && length->second == Unit::iteration)
    left = length->first - static_cast<double>(iteration);
  else if (length && epoch > 0)
    left = (length->first - epoch) * static_cast<double>(iteration) / epoch;
  const std::string remaining = speed > 0 && length ? duration(left / speed) : "unknown";
  if (!terminal_) {
    if (now() - last_line_ < kLineEvery) return;
    last_line_ = now();
    std::fprintf(options_.out, "%5.1f%%  epoch %.2f  iteration %lld  %.5g iters/sec  %s left\n", 100 * done, epoch,
                 static_cast<long long>(iteration), speed, remaining.c_str());
    std::fflush(options_.out);
    return;
  }
  std::string out = "\033[J";
  out += bar_line("     total", done, options_.bar_length);
  out += bar_line("this epoch", epoch - std::floor(epoch), options_.bar_length);
  char line[256];
  if (length)
    std::snprintf(line, sizeof line, "%10lld iter, %lld epoch / %g %ss\n", static_cast<long long>(iteration),
                  static_cast<long long>(u.epoch()), length->first,
                  std::string(chainer::training::name(length->second)).c_str());
  else
    std::snprintf(line, sizeof line, "%10lld iter, %lld epoch\n", static_cast<long long>(iteration),
                  static_cast<long long>(u.epoch()));
  out += line;
  std::snprintf(line, sizeof line, "%10.5g iters/sec. Estimated time to finish: %s.\n", speed, remaining.c_str());
  out += line;
  // Moves the cursor back up, so that the next output overwrites the bar.
  out += "\033[4A";
  std::fputs(out.c_str(), options_.out);
  std::fflush(options_.out);
}

void ProgressBar::finalize() {
  if (!terminal_) return;
  std::fputs("\033[J", options_.out);
  std::fflush(options_.out);
  count_bars(-1);
  terminal_ = false;
}

}  // namespace chainer::training::extensions
