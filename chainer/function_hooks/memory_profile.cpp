// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/array/memory.h"
#include "chainer/function_hooks/function_hooks.h"

namespace chainer::function_hooks {
namespace {

std::string format_bytes(int64_t bytes) {
  double v = static_cast<double>(bytes);
  const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  int u = 0;
  while (std::abs(v) >= 1024 && u < 4) v /= 1024, ++u;
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%3.2f%s", v, units[u]);
  return buffer;
}

}  // namespace

void MemoryProfileHook::start(const Arrays& in) {
  if (running_.empty()) eager_.emplace();
  Device device;
  for (const Array& a : in)
    if (a) {
      device = a.device();
      break;
    }
  const memory::Statistics s = device.memory_statistics();
  running_.push_back({device, s.allocated_total, s.in_use + s.cached});
}
void MemoryProfileHook::stop(const std::string& function) {
  if (running_.empty()) return;
  const auto [device, used, held] = running_.back();
  const memory::Statistics s = device.memory_statistics();
  running_.pop_back();
  if (running_.empty()) eager_.reset();
  history_.push_back(
      {function, s.allocated_total - used, s.in_use + s.cached - held, static_cast<int>(running_.size())});
}
void MemoryProfileHook::aborted(FunctionNode&) noexcept {
  if (running_.empty()) return;
  running_.pop_back();
  if (running_.empty()) eager_.reset();
}
void MemoryProfileHook::forward_preprocess(FunctionNode&, const Arrays& in) { start(in); }
void MemoryProfileHook::forward_postprocess(FunctionNode& f, const Arrays&) { stop(f.impl_name()); }
void MemoryProfileHook::backward_preprocess(FunctionNode&, const Arrays& in, const Arrays&) { start(in); }
void MemoryProfileHook::backward_postprocess(FunctionNode& f, const Arrays&, const Arrays&) { stop(f.impl_name()); }

int64_t MemoryProfileHook::total_used_bytes() const {
  int64_t total = 0;
  for (const Call& c : history_)
    if (c.depth == 0) total += c.used_bytes;
  return total;
}
int64_t MemoryProfileHook::total_acquired_bytes() const {
  int64_t total = 0;
  for (const Call& c : history_)
    if (c.depth == 0) total += c.acquired_bytes;
  return total;
}

std::map<std::string, MemoryProfileHook::Record> MemoryProfileHook::summary() const {
  std::map<std::string, Record> out;
  for (const Call& c : history_) {
    Record& r = out[c.function];
    r.used_bytes += c.used_bytes;
    r.acquired_bytes += c.acquired_bytes;
    ++r.occurrence;
  }
  return out;
}

void MemoryProfileHook::print_report(std::FILE* file) const {
  std::fprintf(file, "%20s %12s %14s %11s\n", "FunctionName", "UsedBytes", "AcquiredBytes", "Occurrence");
  for (const auto& [function, r] : summary())
    std::fprintf(file, "%20s %12s %14s %11lld\n", function.c_str(), format_bytes(r.used_bytes).c_str(),
                 format_bytes(r.acquired_bytes).c_str(), static_cast<long long>(r.occurrence));
}

}  // namespace chainer::function_hooks
