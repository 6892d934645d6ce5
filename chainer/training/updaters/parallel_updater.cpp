// SPDX-License-Identifier: MIT
#include "chainer/training/updaters/parallel_updater.h"

namespace chainer::training::updaters {
namespace {

ModelCopies make_copies(Link& target, const ParallelUpdaterOptions& o) {
  if (!o.models.empty()) return {target, o.models};
  if (o.devices.empty()) throw ValueError("ParallelUpdater: models or devices must be given");
  if (!o.devices.count("main")) throw KeyError("ParallelUpdater: no device named 'main'");
  std::vector<std::string> names;
  for (const auto& [name, device] : o.devices)
    if (name != "main") names.push_back(name);
  return {target, names};
}

}  // namespace

ParallelUpdater::ParallelUpdater(NamedKept<Iterator> iterator, NamedKept<Optimizer> optimizer,
                                 const ParallelUpdaterOptions& o)
    : StandardUpdater(std::move(iterator), std::move(optimizer),
                      {.converter = o.converter,
                       .loss_func = o.loss_func,
                       .loss_scale = o.loss_scale,
                       .auto_new_epoch = o.auto_new_epoch}),
      options_(o),
      copies_(make_copies(get_optimizer("main").target(), o)) {
  if (!o.models.empty()) return;
  std::vector<Device> devices{o.devices.at("main")};
  for (const auto& [name, device] : o.devices)
    if (name != "main") devices.push_back(device);
  copies_.place(get_optimizer("main").target(), devices);
}

void ParallelUpdater::update_core() {
  Iterator& iterator = get_iterator("main");
  Optimizer& optimizer = get_optimizer("main");
  const Examples batch = timed_next(iterator);
  const auto n = static_cast<std::size_t>(copies_.size());
  std::vector<std::optional<Example>> parts(n);
  for (std::size_t m = 0; m < n && m < batch.size(); ++m) {
    Examples share;
    for (std::size_t i = m; i < batch.size(); i += n) share.push_back(batch[i]);
    parts[m] = copies_.convert(share, static_cast<int>(m), options_.converter);
  }
  copies_.step(
      optimizer, parts,
      [&](Link& model, const Example& part) {
        if (!options_.loss_func) return call_link(model, part);
        Variables arguments;
        for (const Array& a : part.arrays()) arguments.push_back(a);
        return options_.loss_func(arguments);
      },
      optimizer.loss_scale());
  report_loss_scale(optimizer);
  if (options_.auto_new_epoch && iterator.is_new_epoch()) optimizer.new_epoch(true);
}

void ParallelUpdater::serialize(Serializer& s) {
  StandardUpdater::serialize(s);
  if (s.is_loading()) copies_.follow(get_optimizer("main").target());
}

}  // namespace chainer::training::updaters
