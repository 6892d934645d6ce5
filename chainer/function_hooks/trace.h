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
  int64_t most_events = 1'000'000;  ///< what comes later is counted and left out
  int64_t process = 0;              ///< the number of this process among those of a run, its rank for instance
  std::string process_name = "chainer";
  /// Nothing is deferred inside functions, so that their time falls where it belongs. It changes what is measured:
  /// elementwise functions then run one by one.
  bool eager = false;
};

/// Notes when each forward and backward computation begins and ends, on which thread, and the memory in use behind it.
/// Several threads may open scopes of one hook; each is a track. A TraceScope has it hear of the rest, too. Without a
/// scope functions cost what they cost without a hook. write() makes the file.
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

  /// A stretch of one's own on this thread's track, between two results of now() (core/clock.h).
  void span(const std::string& what, const std::string& category, double begin, double end) override;
  std::size_t event_count() const;
  /// How many events came behind the most that are kept.
  int64_t left_out() const;
  /// JSON in Chrome's trace format; times in microseconds since the first event.
  std::string dump() const;
  /// The events alone, in microseconds since `origin`, a result of now(): what join() makes a trace of.
  std::string events(double origin) const;
  /// A trace of several processes' events.
  static std::string join(const std::vector<std::string>& events, int64_t left_out = 0);
  /// The same as a file, whole or not at all. FileError where it cannot be written.
  void write(const std::filesystem::path& path) const;

 private:
  struct Event {
    std::string name, category;
    double begin, end;
    std::size_t thread;
    int64_t memory;  // in use at the end; -1 where it was not asked
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

/// A FunctionHookScope for this thread's functions, while which the hook also hears of all threads: programs of
/// deferred evaluation with the operations that they joined (it takes the place of another observer of these), waiting
/// for iterators, optimizers, extensions, communication between processes.
///
///   function_hooks::TraceHook trace;
///   { const function_hooks::TraceScope scope(trace); timeline::tell("reading", "mine", now() - 1, now()); }
///   trace.event_count()  // 1
class [[nodiscard]] TraceScope {
 public:
  explicit TraceScope(TraceHook& hook);
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
  ~TraceScope();

 private:
  FunctionHookScope functions_;
  timeline::RecordingScope rest_;
};

}  // namespace chainer::function_hooks
