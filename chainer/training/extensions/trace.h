// SPDX-License-Identifier: MIT
// A timeline of some iterations (function_hooks/trace.h).
#pragma once
#include <memory>
#include <string>

#include "chainer/function_hooks/trace.h"
#include "chainer/training/trainer.h"

namespace chainer {
namespace training::extensions {

/// Options of Trace.
struct TraceOptions {
  int64_t first = 10, last = 20;    ///< the first and last iteration to record, counted from 1
  std::string file = "trace.json";  ///< in the trainer's out()
  function_hooks::TraceHookOptions hook = {};
};

/// Writes a timeline of the iterations `first` to `last` for https://ui.perfetto.dev or chrome://tracing: each
/// iteration with the waiting for the iterator, the functions of the trainer's thread, forward and backward, with the
/// memory in use, the optimizer and each extension; and, of all threads, programs of lazy evaluation and communication.
/// The file is written after the last iteration, or when the run ends earlier. Other iterations have no overhead. A run
/// resumed from a snapshot after `first` records the remaining iterations. For several processes,
/// chainermn::extensions::Trace writes one file.
///
///   const extensions::Trace trace({.first = 100, .last = 110});
class Trace : public Extension {
 public:
  /// Throws ValueError unless 1 <= first <= last.
  explicit Trace(TraceOptions options = {});
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  /// Runs after the other extensions, whose time belongs to the iteration.
  int priority() const override { return 0; }

 protected:
  /// Returns the origin of the times, called once when recording begins.
  virtual double origin();
  /// Writes the recorded events. `all_there` is true if the run got here without an error or a signal.
  virtual void write(const std::string& events, int64_t left_out, bool all_there);
  const std::filesystem::path& path() const { return path_; }

 private:
  void begin();
  void finish(bool all_there);
  TraceOptions options_;
  std::filesystem::path path_;
  std::unique_ptr<function_hooks::TraceHook> hook_;
  std::unique_ptr<function_hooks::TraceScope> scope_;
  const Trainer* trainer_ = nullptr;
  double origin_ = 0, since_ = 0;
};

}  // namespace training::extensions
}  // namespace chainer
