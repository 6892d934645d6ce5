// SPDX-License-Identifier: MIT
#include "chainer/mn/gradient_reducer.h"
#include "chainer/mn/optimizer.h"

namespace chainer::mn {

MultiNodeOptimizer::MultiNodeOptimizer(Kept<Optimizer> actual, Communicator comm, const MultiNodeOptimizerOptions& o)
    : actual_(std::move(actual)), comm_(std::move(comm)), options_(o) {
  if (!comm_) throw TypeError("create_multi_node_optimizer: the communicator is nullptr");
  if (o.error_feedback && o.compression == Compression::none)
    throw ValueError("create_multi_node_optimizer: error_feedback requires compression");
  if (!actual_->has_target()) return;
  Optimizer::setup_link(actual_->kept_target());  // that of the actual optimizer would remove its hooks and states
  t = actual_->t;
  epoch = actual_->epoch;
}
MultiNodeOptimizer::MultiNodeOptimizer(MultiNodeOptimizer&&) noexcept = default;
MultiNodeOptimizer& MultiNodeOptimizer::operator=(MultiNodeOptimizer&&) noexcept = default;
MultiNodeOptimizer::~MultiNodeOptimizer() = default;

void MultiNodeOptimizer::setup_link(Kept<Link> link) {
  actual_->setup_link(link);
  Optimizer::setup_link(std::move(link));
  reducer_.reset();
}

GradientReducer& MultiNodeOptimizer::reducer() {
  Link& model = target();
  if (!reducer_ || reducer_->model() != &model)
    reducer_ =
        std::make_unique<GradientReducer>(*comm_, model,
                                          GradientReducerOptions{options_.bucket_bytes, options_.compression,
                                                                 options_.error_feedback, options_.double_buffering});
  return *reducer_;
}

void MultiNodeOptimizer::update() {
  if (!reducer().reduce()) return;
  if (skips_update()) return;
  // Hooks of this optimizer run on the means; those of the actual optimizer run in its update.
  auto* method = dynamic_cast<GradientMethod*>(&*actual_);
  if (method) method->reallocate_cleared_grads();
  call_hooks(optimizer::Timing::pre);
  actual_->t = t;
  actual_->epoch = epoch;
  actual_->on_nan = on_nan;
  actual_->update();
  t = actual_->t;
  call_hooks(optimizer::Timing::post);
}

void MultiNodeOptimizer::update(const LossFunction& lossfun) {
  GradientReducer& r = reducer();
  r.prepare();
  const Variable loss = lossfun();
  target().cleargrads();
  if (options_.overlap && r.overlaps()) {
    const GradientHookScope scope(r);
    loss.backward({.loss_scale = loss_scale_});
  } else {
    loss.backward({.loss_scale = loss_scale_});
  }
  // (The means also reach parameters that this rank's loss has not reached.)
  for (const Parameter& p : target().params(false))
    if (loss_scale_ && p.is_initialized()) p.variable().node()->set_loss_scale(loss_scale_);
  update();
}

void MultiNodeOptimizer::serialize(Serializer& s) {
  Optimizer::serialize(s);
  if (options_.double_buffering || options_.error_feedback) reducer().serialize(*s.child("_mn"));
}

MultiNodeOptimizer create_multi_node_optimizer(Kept<Optimizer> actual, Communicator comm,
                                               const MultiNodeOptimizerOptions& o) {
  return MultiNodeOptimizer(std::move(actual), std::move(comm), o);
}

}  // namespace chainer::mn
