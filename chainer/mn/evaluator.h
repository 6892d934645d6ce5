// SPDX-License-Identifier: MIT
// Evaluation by several processes (manual: "Optimizers and Evaluators").
#pragma once
#include "chainer/mn/communicator_base.h"
#include "chainer/training/extensions/evaluation.h"

namespace chainer::mn {

/// Returns the mean over the ranks of each value. Throws ValueError on all ranks if the names differ. Collective.
std::map<std::string, double> mean_of_ranks(CommunicatorBase& comm, const std::map<std::string, double>& values);

/// An evaluator (of any derived class) whose evaluate() returns means over the ranks, each of which evaluates a part of
/// the data. All ranks must have this extension with the same trigger.
template <std::derived_from<training::extensions::Evaluator> E>
class MultiNodeEvaluator : public E {
 public:
  MultiNodeEvaluator(E actual, Communicator comm) : E(std::move(actual)), comm_(std::move(comm)) {}
  std::map<std::string, double> evaluate() override { return mean_of_ranks(*comm_, E::evaluate()); }

 private:
  Communicator comm_;
};

/// Moves an evaluator into a MultiNodeEvaluator (the release modifies the given one):
/// `trainer.extend(chainermn::create_multi_node_evaluator(extensions::Evaluator(test_iter, model), comm))`.
template <std::derived_from<training::extensions::Evaluator> E>
MultiNodeEvaluator<E> create_multi_node_evaluator(E actual_evaluator, Communicator communicator) {
  return MultiNodeEvaluator<E>(std::move(actual_evaluator), std::move(communicator));
}

}  // namespace chainer::mn
