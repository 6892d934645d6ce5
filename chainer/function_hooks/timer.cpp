// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "chainer/array/backend.h"
#include "chainer/array/time_mark.h"
#include "chainer/core/clock.h"
#include "chainer/function_hooks/function_hooks.h"

namespace chainer::function_hooks {
std::string format_seconds(double s) {
  const std::pair<double, const char*> units[] = {{1, "sec"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (const auto& [factor, unit] : units) {
    if (s < factor && factor > 1e-9) continue;
    char buffer[48];
    std::snprintf(buffer, sizeof buffer, "%3.2f%s", s / factor, unit);
    return buffer;
  }
  return "0.00ns";
}

void TimerHook::start(const Arrays& in, const Arrays& gy) {
  if (running_.empty()) eager_.emplace();
  Moment m{now(), {}, {}};
  for (const Arrays* list : {&in, &gy})
    for (const Array& a : *list)
      if (a && !a.device().is_host() && !m.device) m.device = a.device();
  if (m.device) m.mark = m.device->backend().mark(m.device->index());
  running_.push_back(m);
}
void TimerHook::stop(const std::string& function) {
  if (running_.empty()) return;  // the hook was added during this call
  const Moment begin = running_.back();
  const double seconds = now() - begin.time;
  running_.pop_back();
  if (begin.device)
    unknown_.push_back({history_.size(), begin.mark, begin.device->backend().mark(begin.device->index())});
  if (running_.empty()) eager_.reset();
  history_.push_back({function, seconds, static_cast<int>(running_.size())});
}
void TimerHook::aborted(FunctionNode&) noexcept {
  if (running_.empty()) return;
  running_.pop_back();
  if (running_.empty()) eager_.reset();
}
void TimerHook::forward_preprocess(FunctionNode&, const Arrays& in) { start(in); }
void TimerHook::forward_postprocess(FunctionNode& f, const Arrays&) { stop(f.impl_name()); }
void TimerHook::backward_preprocess(FunctionNode&, const Arrays& in, const Arrays& gy) { start(in, gy); }
void TimerHook::backward_postprocess(FunctionNode& f, const Arrays&, const Arrays&) { stop(f.impl_name()); }

const std::vector<TimerHook::Call>& TimerHook::call_history() const {
  for (; !unknown_.empty(); unknown_.pop_back()) {
    const Unknown& u = unknown_.back();
    history_[u.call].seconds = u.end->seconds_since(*u.begin);
  }
  return history_;
}

double TimerHook::total_time() const {
  double total = 0;
  for (const Call& c : call_history())
    if (c.depth == 0) total += c.seconds;
  return total;
}

std::map<std::string, TimeRecord> TimerHook::summary() const {
  std::map<std::string, TimeRecord> out;
  for (const Call& c : call_history()) {
    out[c.function].elapsed_time += c.seconds;
    ++out[c.function].occurrence;
  }
  return out;
}

void TimerHook::print_report(std::FILE* file) const {
  std::vector<std::array<std::string, 3>> rows{{"FunctionName", "ElapsedTime", "Occurrence"}};
  for (const auto& [function, r] : summary())
    rows.push_back({function, format_seconds(r.elapsed_time), std::to_string(r.occurrence)});
  std::size_t width[3] = {};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < 3; ++i) width[i] = std::max(width[i], row[i].size());
  for (const auto& row : rows)
    std::fprintf(file, "%*s  %*s  %*s\n", static_cast<int>(width[0]), row[0].c_str(), static_cast<int>(width[1]),
                 row[1].c_str(), static_cast<int>(width[2]), row[2].c_str());
}

}  // namespace chainer::function_hooks
