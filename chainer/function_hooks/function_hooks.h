// SPDX-License-Identifier: MIT
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

/// The total time and the number of calls of a function.
struct TimeRecord {
  double elapsed_time = 0;  ///< seconds
  int64_t occurrence = 0;
};
/// Formats seconds in a suitable unit: "1.23 ms".
std::string format_seconds(double seconds);

/// Measures the time of each forward and backward computation. Disables lazy evaluation inside, so that each function's
/// time is its own. If an argument is on a device, measures the time of the device between begin and end of the call,
/// without waiting for the device until the times are read.
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
  /// Returns all calls in order. Waits for devices whose times are pending, as do the three functions below.
  const std::vector<Call>& call_history() const;
  /// Returns the seconds of the outermost calls.
  double total_time() const;
  /// Returns the totals by function name.
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

/// Prints, before each forward and backward, the label of the function and debug_print() of every input (and output
/// gradient).
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

/// Counts the bytes that arrays allocate in each function, and those that the allocator acquires from the system, or
/// from the driver of the device of the first input. Disables lazy evaluation inside functions, as TimerHook does.
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
/// The name in the manual.
using CupyMemoryProfileHook = MemoryProfileHook;

/// Marks each forward and backward computation as an NVTX range, which NVIDIA's profilers show next to the kernels of a
/// CUDA device: "LinearFunction.forward". The constructor throws RuntimeError if the NVTX library is missing.
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
