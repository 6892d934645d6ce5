// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "chainer/autograd/function_node.h"
#include "chainer/autograd/reporter.h"
#include "chainer/core/timeline.h"
#include "chainer/functions/math.h"
#include "chainer/links/wrapped_links.h"
#include "chainer/training/updater.h"

namespace chainer::training {

template class NamedKept<Iterator>;
template class NamedKept<Link>;
template class NamedKept<Optimizer>;

Variable call_link(Link& link, const Example& batch) {
  Variables out;
  if (batch.is_dict()) {
    NamedVariables named;
    for (std::size_t i = 0; i < batch.size(); ++i) named[batch.names()[i]] = batch[i];
    out = link.call(named);
  } else {
    Variables args;
    for (const Array& a : batch.arrays()) args.push_back(a);
    out = link.call(args);
  }
  if (out.empty()) throw TypeError(link.class_name(), " returned no variables, expected a loss");
  return out[0];
}

void observe(Reporter& reporter, const std::string& name, const Link& link) {
  for (const auto& [path, l] : links_and_wrapped(link)) reporter.add_observer(path == "/" ? name : name + path, l);
}

namespace updaters {

void report_loss_scale(const Optimizer& optimizer) {
  if (!optimizer.scales_dynamically() || !current_reporter()) return;
  report(
      {{"loss_scale", *optimizer.loss_scale()}, {"skipped_updates", static_cast<double>(optimizer.skipped_updates())}});
}

StandardUpdater::StandardUpdater(NamedKept<Iterator> iterator, NamedKept<Optimizer> optimizer,
                                 const StandardUpdaterOptions& o)
    : iterators_(std::move(iterator)), optimizers_(std::move(optimizer)), options_(o) {
  if (o.microbatches < 1) throw ValueError("StandardUpdater: microbatches must be positive, not ", o.microbatches);
  for (const auto& [name, opt] : optimizers_.all()) {
    opt->use_auto_new_epoch = o.auto_new_epoch;
    if (o.loss_scale) opt->set_loss_scale(*o.loss_scale);
    if (o.device && opt->has_target()) opt->target().to_device(*o.device);
  }
}

Example StandardUpdater::convert(const Examples& batch) const {
  return options_.converter ? options_.converter(batch, options_.device) : concat_examples(batch, options_.device);
}

Examples StandardUpdater::next_batch(const std::string& name) { return timed_next(get_iterator(name)); }

Examples StandardUpdater::timed_next(Iterator& iterator) {
  const double begin = now();
  Examples batch = iterator.next();
  const double end = now();
  input_seconds_ += end - begin;
  if (timeline::on()) timeline::tell("iterator", "input", begin, end);
  return batch;
}

void StandardUpdater::update() {
  update_core();
  ++iteration_;
}

Variable StandardUpdater::microbatch_loss(Link& target, const Example& batch) const {
  if (!options_.loss_func) return call_link(target, batch);
  Variables args;
  for (const Array& a : batch.arrays()) args.push_back(a);
  return options_.loss_func(args);
}

void StandardUpdater::accumulate(Optimizer& optimizer, const Examples& examples) const {
  const std::size_t n = examples.size(), parts = std::min(static_cast<std::size_t>(options_.microbatches), n);
  Link& target = optimizer.target();
  target.cleargrads();
  Observation reported;
  std::map<std::string, std::pair<double, double>> sums;  // of values times shares, and of the shares
  for (std::size_t k = 0; k < parts; ++k) {
    const auto begin = static_cast<std::ptrdiff_t>(n * k / parts),
               end = static_cast<std::ptrdiff_t>(n * (k + 1) / parts);
    const double share = static_cast<double>(end - begin) / static_cast<double>(n);
    Observation own;
    {
      std::optional<Reporter::ObservationScope> scope;
      if (Reporter* r = current_reporter()) scope.emplace(*r, own);
      const Variable loss =
          microbatch_loss(target, convert(Examples(examples.begin() + begin, examples.begin() + end)));
      if (!loss.creator())
        throw RuntimeError(
            "StandardUpdater: the loss of a microbatch has no computational graph, so no gradient can be computed");
      (loss * share).backward({.loss_scale = optimizer.loss_scale()});
    }
    for (const auto& [key, value] : own) {
      if (value.is_scalar()) sums[key].first += value.number() * share, sums[key].second += share;
      reported.insert_or_assign(key, value);
    }
  }
  for (const auto& [key, of] : sums) reported.insert_or_assign(key, ReportValue(of.first / of.second));
  if (Reporter* r = current_reporter())
    for (const auto& [key, value] : reported) r->observation().insert_or_assign(key, value);
  optimizer.update();
}

void StandardUpdater::update_core() {
  Iterator& iterator = get_iterator("main");
  Optimizer& optimizer = get_optimizer("main");
  const Examples examples = timed_next(iterator);
  if (options_.microbatches > 1 && examples.size() > 1) {
    accumulate(optimizer, examples);
  } else {
    const Example batch = convert(examples);
    optimizer.update([&] { return microbatch_loss(optimizer.target(), batch); });
  }
  report_loss_scale(optimizer);
  if (options_.auto_new_epoch && iterator.is_new_epoch()) optimizer.new_epoch(true);
}

void StandardUpdater::finalize() {
  for (const auto& [name, i] : iterators_.all()) i->finalize();
}

std::map<std::string, Optimizer*> StandardUpdater::get_all_optimizers() const {
  std::map<std::string, Optimizer*> out;
  for (const auto& [name, o] : optimizers_.all()) out[name] = &o.get();
  return out;
}

void StandardUpdater::serialize(Serializer& s) {
  for (const auto& [name, i] : iterators_.all()) i->serialize(*s.child("iterator:" + name));
  for (const auto& [name, o] : optimizers_.all()) {
    // The model first: the optimizer's states need the shapes of its parameters.
    if (o->has_target()) o->target().serialize(*s.child("model:" + name));
    o->serialize(*s.child("optimizer:" + name));
  }
  s.count("iteration", iteration_);
}

}  // namespace updaters
}  // namespace chainer::training
