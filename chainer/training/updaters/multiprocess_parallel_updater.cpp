// SPDX-License-Identifier: MIT
#include "chainer/optimizers/optimizers.h"
#include "chainer/training/updaters/parallel_updater.h"

namespace chainer::training::updaters {
namespace {

Kept<Iterator> first_of(const std::vector<Kept<Iterator>>& iterators) {
  if (iterators.empty()) throw ValueError("MultiprocessParallelUpdater: iterators must not be empty");
  return iterators[0];
}

// Gradients are sums over n models, so eps or the learning rate is rescaled.
void rescale(Optimizer& optimizer, double n) {
  const auto is = [&]<class... O>() { return (... || (dynamic_cast<O*>(&optimizer) != nullptr)); };
  using namespace optimizers;
  std::string name;
  double factor = n;
  if (is.template operator()<Adam, AdamW, AdaGrad, RMSprop>()) {
    name = "eps";
  } else if (is.template operator()<RMSpropGraves, AdaDelta>()) {
    name = "eps";
    factor = n * n;
  } else {
    name = "lr";
    factor = 1 / n;
  }
  const double value = optimizer.get(name) * factor;
  optimizer.set(name, value);
  warn(text("MultiprocessParallelUpdater: the optimizer's ", name, " is now ", value, ", for gradients summed over ", n,
            " models"));
}

}  // namespace

MultiprocessParallelUpdater::MultiprocessParallelUpdater(std::vector<Kept<Iterator>> iterators,
                                                         NamedKept<Optimizer> optimizer,
                                                         const MultiprocessParallelUpdaterOptions& o)
    : StandardUpdater(std::map<std::string, Kept<Iterator>>{{"main", first_of(iterators)}}, std::move(optimizer),
                      {.converter = o.converter, .auto_new_epoch = o.auto_new_epoch}),
      iterators_(std::move(iterators)),
      options_(o) {
  if (!o.devices.empty() && o.devices.size() != iterators_.size())
    throw ValueError("MultiprocessParallelUpdater: ", iterators_.size(), " iterators for ", o.devices.size(),
                     " devices");
  for (const auto& i : iterators_)
    if (i->batch_size() != iterators_[0]->batch_size())
      throw ValueError("MultiprocessParallelUpdater: iterators of batch sizes ", iterators_[0]->batch_size(), " and ",
                       i->batch_size());
  rescale(get_optimizer("main"), static_cast<double>(iterators_.size()));
}

void MultiprocessParallelUpdater::setup_workers() {
  if (copies_) return;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < iterators_.size(); ++i) names.push_back(text("model", i));
  copies_ = std::make_unique<ModelCopies>(get_optimizer("main").target(), names);
  if (!options_.devices.empty()) copies_->place(get_optimizer("main").target(), options_.devices);
}
void MultiprocessParallelUpdater::connect_trainer(Trainer& trainer) {
  setup_workers();
  copies_->add_observers(trainer);
}

void MultiprocessParallelUpdater::update_core() {
  setup_workers();
  Optimizer& optimizer = get_optimizer("main");
  std::vector<std::optional<Example>> parts;
  for (const auto& i : iterators_)
    parts.emplace_back(copies_->convert(timed_next(*i), static_cast<int>(parts.size()), options_.converter));
  copies_->step(
      optimizer, parts, [](Link& model, const Example& part) { return call_link(model, part); },
      optimizer.loss_scale());
  report_loss_scale(optimizer);
  if (options_.auto_new_epoch && iterators_[0]->is_new_epoch()) optimizer.new_epoch(true);
}

void MultiprocessParallelUpdater::finalize() {
  for (const auto& i : iterators_) i->finalize();
}

void MultiprocessParallelUpdater::serialize(Serializer& s) {
  StandardUpdater::serialize(s);
  for (std::size_t i = 1; i < iterators_.size(); ++i) {
    const auto child = s.child(text("iterator:model", i));
    // Snapshots written by Chainer contain the main iterator only.
    if (!s.is_loading() || child->contains("current_position")) iterators_[i]->serialize(*child);
  }
  if (s.is_loading() && copies_) copies_->follow(get_optimizer("main").target());
}

}  // namespace chainer::training::updaters
