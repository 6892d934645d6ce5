// SPDX-License-Identifier: MIT
// Extensions for several processes (manual: "Trainer extensions" of ChainerMN).
#pragma once
#include "chainer/mn/communicator_base.h"
#include "chainer/training/extensions/live.h"
#include "chainer/training/extensions/trace.h"
#include "chainer/training/trainer.h"

namespace chainer::mn::extensions {

/// Averages the persistent values of a model over the ranks: floating arrays and numbers such as the running statistics
/// of batch normalization, which each rank computes from its own data. Integers, bools and strings are unchanged. Runs
/// once per epoch, before the evaluators (priority 301). Collective.
class AllreducePersistent : public training::Extension {
 public:
  AllreducePersistent(Kept<Link> model, Communicator comm) : model_(std::move(model)), comm_(std::move(comm)) {}
  void operator()(Trainer& trainer) override;
  /// Averages without a trainer.
  void operator()();
  training::Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return PRIORITY_WRITER + 1; }

 private:
  Kept<Link> model_;
  Communicator comm_;
};

/// Writes the timeline of all ranks to one file, each rank as a process: rank 0 writes it to its trainer's out(), after
/// the last iteration or when the run ends. A barrier at the beginning of the recording synchronizes the clocks of the
/// ranks. Collective: all ranks must have it with the same options. After an error or a signal each rank writes its own
/// part, with its number before the suffix of the file (trace.1.json).
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

namespace chainer::mn {

/// Makes all ranks execute the requests in the folder of rank 0's trainer, each after the same iteration; rank 0 writes
/// the responses and the requested snapshots. Every rank calls this and extends its trainer with the extension: rank 0
/// with a CommandsExtension or a LivePage, the others with a CommandsExtension. The extension is collective from the
/// beginning of run() on, once after each iteration.
void steer_together(training::extensions::CommandsExtension& commands, const Communicator& comm);

}  // namespace chainer::mn
