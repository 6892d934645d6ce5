// Optimizers of several processes (manual: "Optimizers and Evaluators").
#pragma once
#include <memory>

#include "chainer/mn/communicator_base.h"
#include "chainer/mn/mean.h"
#include "chainer/optimizers/optimizer.h"

namespace chainer::mn {

class GradientReducer;

/// Options of create_multi_node_optimizer().
struct MultiNodeOptimizerOptions {
  bool double_buffering = false;  ///< update with the means of the step before, while those of this one travel
  int64_t bucket_bytes = int64_t(25) << 20;
  Compression compression = Compression::none;
  bool error_feedback = false;
  bool overlap = true;  ///< means are taken while backward() still runs
};

/// An optimizer that averages gradients over the ranks of a communicator before it updates; everything else is that of
/// the optimizer it was made from: hooks (which see the means), hyperparameters, t, epoch, files.
///
/// The first update compares the parameters of all ranks. Where they differ, all ranks take those of rank 0; if that
/// happens after the gradients were computed (parameters got their shapes in this step), this step updates nothing. A
/// parameter that has no gradient on some ranks counts as zero there; which parameters have one is agreed on again only
/// when that changed.
///
/// update(lossfun), which the updaters call, sends gradients while backward() runs. A loop of one's own that calls
/// backward() and update() gets the same results; gradients then travel in update().
///
/// With double buffering the first step updates nothing, and each later one uses the gradients of the step before.
/// Between hosts gradients may travel in 16 bits (compression). With error feedback a rank adds what rounding took away
/// to what it sends next (Seide et al., Interspeech 2014). Both are part of what serialize() saves on each rank.
class MultiNodeOptimizer : public Optimizer {
 public:
  MultiNodeOptimizer(Kept<Optimizer> actual, Communicator comm, const MultiNodeOptimizerOptions& options = {});
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
  /// Collective.
  void update() override;
  void update(const LossFunction& lossfun) override;
  void serialize(Serializer& s) override;
  double get(std::string_view name) const override { return actual_->get(name); }
  void set(const std::string& name, double value) override { actual_->set(name, value); }
  Optimizer& actual_optimizer() const { return *actual_; }
  const Communicator& communicator() const { return comm_; }

 private:
  GradientReducer& reducer();
  Kept<Optimizer> actual_;
  Communicator comm_;
  MultiNodeOptimizerOptions options_;
  std::unique_ptr<GradientReducer> reducer_;
};

/// A multi-node optimizer from any optimizer:
/// `auto optimizer = chainermn::create_multi_node_optimizer(optimizers::Adam(), comm).setup(model)`.
MultiNodeOptimizer create_multi_node_optimizer(Kept<Optimizer> actual_optimizer, Communicator communicator,
                                               const MultiNodeOptimizerOptions& options = {});

}  // namespace chainer::mn
