// Extensions for several processes (manual: "Trainer extensions" of ChainerMN).
#pragma once
#include "chainer/mn/communicator_base.h"
#include "chainer/training/extensions/trace.h"
#include "chainer/training/trainer.h"

namespace chainer::mn::extensions {

/// Averages the persistent values of a model over the ranks: floating arrays and numbers, as the running statistics of
/// batch normalization, which each rank takes from its own data. Integers, truth values and texts stay. Once an epoch,
/// before the evaluators (priority 301). Collective.
class AllreducePersistent : public training::Extension {
 public:
  AllreducePersistent(Kept<Link> model, Communicator comm) : model_(std::move(model)), comm_(std::move(comm)) {}
  void operator()(Trainer& trainer) override;
  /// The same without a trainer.
  void operator()();
  training::Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return PRIORITY_WRITER + 1; }

 private:
  Kept<Link> model_;
  Communicator comm_;
};

/// The timeline of all ranks in one file, each rank a process: rank 0 writes it into its trainer's out(), when the last
/// iteration is done or the run has come to its end. The clocks of the ranks are set by a barrier when recording
/// begins. Collective: all ranks have it with the same options. After an error or a signal each rank writes its part
/// for itself, with its number before the file's suffix (trace.1.json).
class Trace : public training::extensions::Trace {
 public:
  explicit Trace(Communicator comm, training::extensions::TraceOptions options = {});

 protected:
  double origin() override;
  void write(const std::string& events, int64_t left_out, bool all_there) override;

 private:
  Communicator comm_;
};

}  // namespace chainer::mn::extensions
