// SPDX-License-Identifier: MIT
// Optimizers for several processes (manual: "Optimizers and Evaluators").
#pragma once
#include <memory>

#include "chainer/mn/communicator_base.h"
#include "chainer/mn/mean.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/core/other_options.h"

namespace chainer::mn {

class GradientReducer;

/// Options of create_multi_node_optimizer().
struct MultiNodeOptimizerOptions {
  bool double_buffering = false;  ///< updates with the means of the previous step, while those of this step are sent
  int64_t bucket_bytes = int64_t(25) << 20;
  Compression compression = Compression::none;
  bool error_feedback = false;
  bool overlap = true;  ///< computes means while backward() runs
};

/// An optimizer that averages gradients over the ranks of a communicator before it updates. Everything else is that of
/// the actual optimizer: hooks (which receive the means), hyperparameters, t, epoch, files.
///
/// The first update compares the parameters of all ranks. If they differ, all ranks copy those of rank 0; if this
/// happens after the gradients were computed (because parameters were initialized in this step), the step updates
/// nothing. A parameter without a gradient on some ranks counts as zero there; ranks agree again on the parameters with
/// gradients only if these change. Throws ValueError on all ranks if the models differ.
///
/// update(lossfun), which the updaters call, sends gradients while backward() runs. Calling backward() and update()
/// gives the same results; gradients are then sent in update().
///
/// With double buffering the first step updates nothing, and each later step uses the gradients of the previous one.
/// Compression sends gradients between hosts in 16 bits. With error feedback a rank adds rounding errors to the values
/// that it sends next (Seide et al., Interspeech 2014). serialize() saves both states on each rank. The constructor
/// throws ValueError for error feedback without compression.
class MultiNodeOptimizer : public Optimizer {
 public:
  MultiNodeOptimizer(Kept<Optimizer> actual, Communicator comm, const MultiNodeOptimizerOptions& options = {});
  CHAINER_OTHER_OPTIONS(MultiNodeOptimizer, ".double_buffering, .bucket_bytes, .compression, .error_feedback, .overlap",
                        Kept<Optimizer>, Communicator);
  MultiNodeOptimizer(MultiNodeOptimizer&&) noexcept;
  MultiNodeOptimizer& operator=(MultiNodeOptimizer&&) noexcept;
  ~MultiNodeOptimizer() override;

  MultiNodeOptimizer& setup(Kept<Link> link) & {
    setup_link(std::move(link));
    return *this;
  }
  MultiNodeOptimizer setup(Kept<Link> link) && {
    setup_link(std::move(link));
    return std::move(*this);
  }
  void setup_link(Kept<Link> link) override;
  /// Averages the gradients and updates. Collective.
  void update() override;
  void update(const LossFunction& lossfun) override;
  void serialize(Serializer& s) override;
  double get(std::string_view name) const override { return actual_->get(name); }
  void set(const std::string& name, double value) override { actual_->set(name, value); }
  int processes() const override { return comm_->size(); }
  Optimizer& actual_optimizer() const { return *actual_; }
  const Communicator& communicator() const { return comm_; }

 private:
  GradientReducer& reducer();
  Kept<Optimizer> actual_;
  Communicator comm_;
  MultiNodeOptimizerOptions options_;
  std::unique_ptr<GradientReducer> reducer_;
};

/// Makes a multi-node optimizer from any optimizer:
/// `auto optimizer = chainermn::create_multi_node_optimizer(optimizers::Adam(), comm).setup(model)`.
MultiNodeOptimizer create_multi_node_optimizer(Kept<Optimizer> actual_optimizer, Communicator communicator,
                                               const MultiNodeOptimizerOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(create_multi_node_optimizer,
                         ".double_buffering, .bucket_bytes, .compression, .error_feedback, .overlap", Kept<Optimizer>,
                         Communicator);

}  // namespace chainer::mn
