// SPDX-License-Identifier: MIT
#include "chainer/autograd/config.h"
#include "chainer/autograd/reporter.h"
#include "chainer/training/trainer.h"
#include "chainer/training/updaters/parallel_updater.h"

namespace chainer::training::updaters {
namespace {

bool has_uninitialized(const Link& model) { return model.params(true).size() != model.params(false).size(); }

}  // namespace

ModelCopies::ModelCopies(Link& target, const std::vector<std::string>& names) {
  for (const std::string& name : names) copies_.emplace_back(name, target.clone(CopyMode::copy));
  threads_ = std::make_unique<ModelThreads>(size());
}
ModelCopies::ModelCopies(Link& target, const std::map<std::string, std::shared_ptr<Link>>& models) {
  const auto main = models.find("main");
  if (main == models.end()) throw KeyError("ParallelUpdater: no model named 'main'");
  if (main->second.get() != &target)
    throw ValueError("ParallelUpdater: the model named 'main' must be the optimizer's target");
  for (const auto& [name, model] : models) {
    if (!model) throw ValueError("ParallelUpdater: the model '", name, "' is nullptr");
    if (name != "main") copies_.emplace_back(name, model);
  }
  threads_ = std::make_unique<ModelThreads>(size());
}

void ModelCopies::place(Link& target, const std::vector<Device>& devices) {
  devices_.clear();
  for (int i = 0; i < size(); ++i) {
    const Device& d = devices[static_cast<std::size_t>(i)];
    devices_.push_back(d.is_host() ? std::nullopt : std::optional(d));
    if (!d.is_host()) model(i, target).to_device(d);
  }
}

Example ModelCopies::convert(const Examples& share, int model, const Converter& converter) const {
  const std::optional<Device> d =
      devices_.empty() ? std::optional<Device>() : devices_[static_cast<std::size_t>(model)];
  return converter ? converter(share, d) : concat_examples(share, d);
}

void ModelCopies::add_observers(Trainer& trainer) const {
  for (const auto& [name, model] : copies_) observe(trainer.reporter, name, *model);
}

void ModelCopies::follow(const Link& target, bool copy_persistent) {
  for (int i = 1; i < size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    copies_[k - 1].second->copyparams(target, copy_persistent);
    // (A persistent array that the copy did not have was copied to the device of the target.)
    if (copy_persistent && !devices_.empty() && devices_[k]) copies_[k - 1].second->to_device(*devices_[k]);
  }
}

void ModelCopies::step(Optimizer& optimizer, const std::vector<std::optional<Example>>& batches,
                       const std::function<Variable(Link&, const Example&)>& loss, std::optional<double> loss_scale) {
  Link& target = optimizer.target();
  const auto n = static_cast<std::size_t>(size());
  std::vector<Variable> losses(n);
  std::vector<Observation> observations(n);
  const auto forward = [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    if (!batches[k]) return;
    // Each thread has its own reporter; the observations are merged afterwards.
    Reporter reporter;
    const std::string name = i == 0 ? "main" : copies_[k - 1].first;
    Link& m = model(i, target);
    observe(reporter, name, m);
    const auto current = reporter.make_current();
    const auto to_own = reporter.scope(observations[k]);
    const UsingConfig with_graph(&Config::enable_backprop, true);
    losses[k] = loss(m, *batches[k]);
  };
  for (int i = 0; i < size(); ++i) model(i, target).cleargrads();
  int first = 0;
  if (has_uninitialized(target)) {
    // The first call initializes parameters; the copies must start from the same values as the main model.
    forward(0);
    follow(target, false);
    first = 1;
  }
  threads_->run([&](int i) {
    if (i >= first) forward(i);
  });
  for (int i = 0; i < size(); ++i) model(i, target).cleargrads();
  threads_->run([&](int i) {
    const Variable& l = losses[static_cast<std::size_t>(i)];
    if (l) l.backward({.loss_scale = loss_scale});
  });
  for (std::size_t i = 1; i < n; ++i)
    if (batches[i]) target.addgrads(*copies_[i - 1].second);
  // (Gradients of parameters that only a copy has reached are scaled, too.)
  for (const Parameter& p : target.params(false))
    if (loss_scale && p.grad()) p.variable().node()->set_loss_scale(loss_scale);
  optimizer.update();
  follow(target);
  if (Reporter* r = current_reporter())
    for (Observation& o : observations)
      for (auto& [key, value] : o) r->observation().insert_or_assign(key, std::move(value));
}

}  // namespace chainer::training::updaters
