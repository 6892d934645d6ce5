// SPDX-License-Identifier: MIT
// The base class of the schedules of hyperparameters.
#include <cmath>
#include <utility>

#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

Optimizer& Shift::optimizer(Trainer& trainer) const {
  return optimizer_ ? *optimizer_ : trainer.updater().get_optimizer("main");
}

void Shift::initialize(Trainer& trainer) {
  Optimizer& o = optimizer(trainer);
  scheduled_ = &o;
  if (!found_) found_ = o.get(attr_);
  const double start = first(*found_);
  if (!last_value_) last_value_ = start;
  // A resumed run continues with the value it had, even if another schedule of the same attribute set it last.
  o.set(attr_, last_seen_ ? *last_seen_ : *last_value_);
}
void Shift::finalize() {
  if (Optimizer* o = std::exchange(scheduled_, nullptr)) last_seen_ = o->get(attr_);  // for snapshots after the run
}
void Shift::operator()(Trainer& trainer) {
  if (const std::optional<double> v = value(++t_)) {
    optimizer(trainer).set(attr_, *v);
    last_value_ = v;
  }
}
void Shift::serialize(Serializer& s) {
  s.count("_t", t_);
  double last = last_value_.value_or(std::nan(""));
  if (!s.is_loading() || s.contains("_last_value")) s("_last_value", last);
  last_value_ = std::isnan(last) ? std::nullopt : std::optional(last);
  double seen = s.is_loading() ? std::nan("") : scheduled_ ? scheduled_->get(attr_) : last_seen_.value_or(std::nan(""));
  if (!s.is_loading() || s.contains("_value")) s("_value", seen);
  if (s.is_loading()) last_seen_ = std::isnan(seen) ? std::nullopt : std::optional(seen);
  double found = s.is_loading() ? std::nan("") : found_.value_or(std::nan(""));
  if (!s.is_loading() || s.contains("_found")) s("_found", found);
  if (s.is_loading()) found_ = std::isnan(found) ? std::nullopt : std::optional(found);
  serialize_more(s);
}

}  // namespace chainer::training::extensions
