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
  int64_t first = 10, last = 20;    ///< these iterations, counted from 1, both included
  std::string file = "trace.json";  ///< in the trainer's out()
  function_hooks::TraceHookOptions hook = {};
};

/// Writes a timeline of the iterations `first` to `last` for https://ui.perfetto.dev or chrome://tracing: each
/// iteration, and the functions of the trainer's thread forward and backward inside it, with the memory in use. The
/// file appears when the last of them is done, or the run ends before. Other iterations cost nothing. A run that goes
/// on from a snapshot behind `first` writes those that it has; behind `last`, none.
///
///   const extensions::Trace trace({.first = 100, .last = 110});
class Trace : public Extension {
 public:
  /// ValueError for a stretch without iterations.
  explicit Trace(TraceOptions options = {});
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  /// Behind the other extensions, whose time belongs to the iteration.
  int priority() const override { return 0; }

 private:
  void begin();
  TraceOptions options_;
  std::filesystem::path path_;
  std::unique_ptr<function_hooks::TraceHook> hook_;
  std::unique_ptr<FunctionHookScope> scope_;
  double since_ = 0;
};

}  // namespace training::extensions
}  // namespace chainer
