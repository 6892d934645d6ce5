// SPDX-License-Identifier: MIT
#include "profile.h"

#include <chainer/autograd/function_hook.h>
#include <chainer/array/deferred/deferred.h>
#include <chainer/chainer.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace bench {
namespace {

using chainer::Arrays;
using chainer::FunctionNode;
using Clock = std::chrono::steady_clock;

struct Row {
  double calls = 0, forward = 0, backward = 0, bytes = 0;
};

// Time and bytes of a function exclude those of the functions it calls.
class ProfileHook : public chainer::FunctionHook {
 public:
  std::string name() const override { return "ProfileHook"; }
  void forward_preprocess(FunctionNode&, const Arrays&) override { start(); }
  void forward_postprocess(FunctionNode& f, const Arrays&) override { stop(f, &Row::forward); }
  void backward_preprocess(FunctionNode&, const Arrays&, const Arrays&) override { start(); }
  void backward_postprocess(FunctionNode& f, const Arrays&, const Arrays&) override { stop(f, &Row::backward); }
  /// A program runs inside the function that first reads its result; its time is attributed to the program.
  void program(const std::string& operations, double seconds) {
    Row& r = rows["[" + operations + "]"];
    r.calls += 1;
    r.forward += seconds * 1e3;
    if (!open_.empty()) open_.back().inner_ms += seconds * 1e3;
  }
  std::map<std::string, Row> rows;

 private:
  struct Open {
    Clock::time_point start;
    int64_t bytes;
    double inner_ms = 0, inner_bytes = 0;
  };
  void start() { open_.push_back({Clock::now(), chainer::memory::statistics().allocated_total}); }
  void stop(const FunctionNode& f, double Row::*part) {
    const Open o = open_.back();
    open_.pop_back();
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - o.start).count();
    const auto bytes = static_cast<double>(chainer::memory::statistics().allocated_total - o.bytes);
    Row& r = rows[f.label()];
    if (part == &Row::forward) r.calls += 1;
    r.*part += ms - o.inner_ms;
    r.bytes += bytes - o.inner_bytes;
    if (!open_.empty()) open_.back().inner_ms += ms, open_.back().inner_bytes += bytes;
  }
  std::vector<Open> open_;
};

}  // namespace

void profile(const std::function<void()>& step, int count, std::FILE* to) {
  for (int i = 0; i < 3; ++i) step();
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) step();
  const double whole = std::chrono::duration<double, std::milli>(Clock::now() - start).count() / count;

  ProfileHook hook;
  {
    chainer::FunctionHookScope scope(hook);
    chainer::deferred::set_observer([&](const std::string& names, double s, int64_t) { hook.program(names, s); });
    for (int i = 0; i < count; ++i) step();
    chainer::deferred::set_observer({});
  }
  std::vector<std::pair<std::string, Row>> rows(hook.rows.begin(), hook.rows.end());
  const auto time = [](const Row& r) { return r.forward + r.backward; };
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return time(a.second) > time(b.second); });
  std::fprintf(to, "  %-32s %8s %12s %12s %14s\n", "function", "calls", "forward ms", "backward ms", "allocated KiB");
  double sum = 0;
  for (const auto& [name, r] : rows) {
    std::fprintf(to, "  %-32s %8.1f %12.4f %12.4f %14.1f\n", name.c_str(), r.calls / count, r.forward / count,
                 r.backward / count, r.bytes / count / 1024);
    sum += time(r) / count;
  }
  std::fprintf(to, "  in functions %.4f ms; a step without hooks %.4f ms\n", sum, whole);
}

}  // namespace bench
