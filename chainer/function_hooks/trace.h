// SPDX-License-Identifier: MIT
// A timeline of functions for chrome://tracing and https://ui.perfetto.dev.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "chainer/array/deferred/deferred.h"
#include "chainer/autograd/function_hook.h"
#include "chainer/core/timeline.h"

namespace chainer::function_hooks {

/// Options of TraceHook.
struct TraceHookOptions {
  int64_t most_events = 1'000'000;  ///< later events are counted but not stored
  int64_t process = 0;              ///< the number of this process among those of a run, such as its rank
  std::string process_name = "chainer";
  /// Disables lazy evaluation inside functions, so that each function's time is its own. This changes the measurement:
  /// elementwise functions are then not fused.
  bool eager = false;
};

/// Records the begin and end of each forward and backward computation, its thread, and the memory in use after it.
/// Several threads may open scopes of one hook; each thread is a track. A TraceScope also records other events. Without
/// a scope the hook has no overhead. write() writes the file.
///
///   function_hooks::TraceHook trace;
///   { FunctionHookScope scope(trace); (void)F::exp(array({1.f})); }
///   trace.event_count()  // 1
class TraceHook : public FunctionHook, public timeline::Recorder {
 public:
  explicit TraceHook(TraceHookOptions options = {}) : options_(std::move(options)) {}
  std::string name() const override { return "TraceHook"; }
  void forward_preprocess(FunctionNode& f, const Arrays& in) override;
  void forward_postprocess(FunctionNode& f, const Arrays& in) override;
  void backward_preprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;
  void backward_postprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;
  void aborted(FunctionNode& f) noexcept override;

  /// Adds a custom event to this thread's track, between two results of now() (core/clock.h).
  void span(const std::string& what, const std::string& category, double begin, double end) override;
  std::size_t event_count() const;
  /// Returns the number of events that were not stored.
  int64_t left_out() const;
  /// Returns JSON in Chrome's trace format, with times in microseconds since the first event.
  std::string dump() const;
  /// Returns the events, in microseconds since `origin`, a result of now(), for join().
  std::string events(double origin) const;
  /// Returns a trace of the events of several processes.
  static std::string join(const std::vector<std::string>& events, int64_t left_out = 0);
  /// Writes dump() to a file, atomically. Throws FileError if the file cannot be written.
  void write(const std::filesystem::path& path) const;

 private:
  struct Event {
    std::string name, category;
    double begin, end;
    std::size_t thread;
    int64_t memory;  // in use at the end; -1 if not measured
  };
  struct Track {
    std::size_t number = 0;
    std::vector<double> running = {};
    std::optional<deferred::EagerMode> eager = {};
  };
  Track& track();
  void start();
  void stop(const FunctionNode& f, const char* category);
  void add(Event e);
  TraceHookOptions options_;
  mutable std::mutex mutex_;
  std::map<std::thread::id, Track> tracks_;
  std::vector<Event> events_;
  int64_t left_out_ = 0;
};

/// A FunctionHookScope for this thread's functions. During its lifetime the hook also receives events from all threads:
/// programs of lazy evaluation with the operations they fuse (replacing another observer of these), waiting for
/// iterators, optimizers, extensions, communication between processes.
///
///   function_hooks::TraceHook trace;
///   { const function_hooks::TraceScope scope(trace); timeline::tell("reading", "mine", now() - 1, now()); }
///   trace.event_count()  // 1
class [[nodiscard]] TraceScope {
 public:
  [[nodiscard]] explicit TraceScope(TraceHook& hook);
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
  ~TraceScope();

 private:
  FunctionHookScope functions_;
  timeline::RecordingScope rest_;
};

}  // namespace chainer::function_hooks
