// SPDX-License-Identifier: MIT
// Running averages of the weights of a run.
#pragma once
#include "chainer/links/model.h"
#include "chainer/training/extension.h"

namespace chainer {
namespace training::extensions {

/// Calls averaged.update() with the target of the main optimizer, after each iteration or when its trigger fires,
/// before evaluators run, and keeps the averages in the trainer's snapshots. An Evaluator that is given
/// averaged.model() evaluates the averaged weights.
///   L::Classifier model(L::Linear(3, 2));
///   L::AveragedModel averaged(model, {.decay = 0.99});
///   extensions::WeightAverage extension(averaged);
class WeightAverage : public Extension {
 public:
  explicit WeightAverage(Kept<L::AveragedModel> averaged) : averaged_(std::move(averaged)) {}
  void operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;
  int priority() const override { return PRIORITY_WRITER + 10; }

 private:
  Kept<L::AveragedModel> averaged_;
};

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
