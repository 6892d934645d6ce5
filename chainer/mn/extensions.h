// Extensions for several processes (manual: "Trainer extensions" of ChainerMN).
#pragma once
#include "chainer/mn/communicator_base.h"
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

}  // namespace chainer::mn::extensions
