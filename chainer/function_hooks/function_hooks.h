// Function and link hooks that measure time or memory, and one that prints.
#pragma once
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/autograd/function_hook.h"
#include "chainer/array/deferred/deferred.h"

namespace chainer {
class TimeMark;
}

namespace chainer::function_hooks {

/// What hooks that measure share: a history of (name, amount, depth), totals over the outermost calls, sums by name.
struct TimeRecord {
  double elapsed_time = 0;  ///< seconds
  int64_t occurrence = 0;
};
/// "1.23 ms": seconds in the unit that fits.
std::string format_seconds(double seconds);

/// Measures each forward and backward computation. Inside them nothing is deferred, so that time falls where it
/// belongs. Where an argument lies on a device it is the device's time: what the device did between the begin and the
/// end of the call. Nobody waits for it before the times are asked for.
///   function_hooks::TimerHook hook;
///   { FunctionHookScope scope(hook); (void)F::exp(array({1.f})); }
///   hook.print_report();
class TimerHook : public FunctionHook {
 public:
  std::string name() const override { return "TimerHook"; }
  void forward_preprocess(FunctionNode& f, const Arrays& in) override;
  void forward_postprocess(FunctionNode& f, const Arrays& in) override;
  void backward_preprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;
  void backward_postprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;
  void aborted(FunctionNode& f) noexcept override;

  struct Call {
    std::string function;
    double seconds;
    int depth;
  };
  /// Waits for devices whose times are not known yet, as the next three do.
  const std::vector<Call>& call_history() const;
  /// Seconds of the outermost calls.
  double total_time() const;
  /// By function name.
  std::map<std::string, TimeRecord> summary() const;
  void print_report(std::FILE* file = stdout) const;

 private:
  // A moment on the host, and on the device of the call.
  struct Moment {
    double time;
    std::optional<Device> device;
    std::shared_ptr<const TimeMark> mark;
  };
  struct Unknown {
    std::size_t call;
    std::shared_ptr<const TimeMark> begin, end;
  };
  void start(const Arrays& in, const Arrays& gy = {});
  void stop(const std::string& function);
  mutable std::vector<Call> history_;
  mutable std::vector<Unknown> unknown_;
  std::vector<Moment> running_;
  std::optional<deferred::EagerMode> eager_;
};

/// Before each forward and backward: the function's label and debug_print() of every input (and output gradient).
class PrintHook : public FunctionHook {
 public:
  explicit PrintHook(std::string end = "\n", std::FILE* file = stdout, bool flush = true)
      : end_(std::move(end)), file_(file), flush_(flush) {}
  std::string name() const override { return "PrintHook"; }
  void forward_preprocess(FunctionNode& f, const Arrays& in) override;
  void backward_preprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;

 private:
  void print(const FunctionNode& f, const Arrays& in, const Arrays* gy) const;
  std::string end_;
  std::FILE* file_;
  bool flush_;
};

/// Counts the bytes that arrays took from the allocator in each function, and those that came from the system (of the
/// device of the function's first input: from its driver). As in TimerHook, nothing is deferred inside them.
class MemoryProfileHook : public FunctionHook {
 public:
  std::string name() const override { return "MemoryProfileHook"; }
  void forward_preprocess(FunctionNode& f, const Arrays& in) override;
  void forward_postprocess(FunctionNode& f, const Arrays& in) override;
  void backward_preprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;
  void backward_postprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;
  void aborted(FunctionNode& f) noexcept override;

  struct Call {
    std::string function;
    int64_t used_bytes, acquired_bytes;
    int depth;
  };
  struct Record {
    int64_t used_bytes = 0, acquired_bytes = 0, occurrence = 0;
  };
  const std::vector<Call>& call_history() const { return history_; }
  int64_t total_used_bytes() const;
  int64_t total_acquired_bytes() const;
  std::map<std::string, Record> summary() const;
  void print_report(std::FILE* file = stdout) const;

 private:
  struct Running {
    Device device;
    int64_t used, held;
  };
  void start(const Arrays& in);
  void stop(const std::string& function);
  std::vector<Call> history_;
  std::vector<Running> running_;
  std::optional<deferred::EagerMode> eager_;
};
/// The manual's name.
using CupyMemoryProfileHook = MemoryProfileHook;

/// Marks each forward and backward computation as a range (NVTX) that NVIDIA's profilers show beside the kernels of a
/// CUDA device: "LinearFunction.forward". The constructor throws RuntimeError where NVTX's library is missing.
class CUDAProfileHook : public FunctionHook {
 public:
  CUDAProfileHook();
  std::string name() const override { return "CUDAProfileHook"; }
  void forward_preprocess(FunctionNode& f, const Arrays& in) override;
  void forward_postprocess(FunctionNode& f, const Arrays& in) override;
  void backward_preprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;
  void backward_postprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override;
  void aborted(FunctionNode& f) noexcept override;
};

}  // namespace chainer::function_hooks
