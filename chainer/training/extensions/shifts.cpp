// Schedules of hyperparameters.
#include <algorithm>
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
  const double start = first(o.get(attr_));
  // A resumed run goes on where it was, also where another schedule of the same value had the last word.
  o.set(attr_, last_seen_ ? *last_seen_ : last_value_.value_or(start));
}
void Shift::finalize() {
  if (Optimizer* o = std::exchange(scheduled_, nullptr)) last_seen_ = o->get(attr_);  // saved after the run's end
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
  serialize_more(s);
}

namespace {
// Stops at the target, whichever side the values come from.
double clamped(double v, double init, std::optional<double> target) {
  if (!target) return v;
  return init <= *target ? std::min(v, *target) : std::max(v, *target);
}
}  // namespace

ExponentialShift::ExponentialShift(std::string attr, double rate, const ShiftOptions& o)
    : Shift(std::move(attr), o.optimizer), rate_(rate), options_(o) {
  if (rate < 0) throw ValueError("ExponentialShift does not support negative rate: ", rate);
}
void ExponentialShift::registered(bool with_trigger) {
  if (with_trigger || options_.target || std::pow(rate_, 100) > 1e-3) return;
  warn(text("ExponentialShift: without a trigger it multiplies ", attr(), " by ", rate_,
            " in each iteration, a factor of ", std::pow(rate_, 100),
            " after 100 of them. For once an epoch: extend(ExponentialShift(...), {1, \"epoch\"})"));
}
std::optional<double> ExponentialShift::value(int64_t t) {
  return clamped(init_ * std::pow(rate_, static_cast<double>(t)), init_, options_.target);
}

InverseShift::InverseShift(std::string attr, double gamma, double power, const ShiftOptions& o)
    : Shift(std::move(attr), o.optimizer), gamma_(gamma), power_(power), options_(o) {
  if (gamma < 0) throw ValueError("InverseShift does not support negative gamma: ", gamma);
}
std::optional<double> InverseShift::value(int64_t t) {
  return clamped(init_ * std::pow(1 + gamma_ * static_cast<double>(t), -power_), init_, options_.target);
}

std::optional<double> LinearShift::value(int64_t t) {
  const auto [v1, v2] = values_;
  const auto [t1, t2] = times_;
  const double now = static_cast<double>(t);
  if (now <= t1) return v1;
  if (now >= t2) return v2;
  const double rate = (now - t1) / (t2 - t1);
  return v1 + rate * (v2 - v1);
}

std::optional<double> MultistepShift::value(int64_t t) {
  if (current_step_ < static_cast<int64_t>(steps_.size()) && t >= steps_[static_cast<std::size_t>(current_step_)])
    ++current_step_;
  return init_ * std::pow(gamma_, static_cast<double>(current_step_));
}
void MultistepShift::serialize_more(Serializer& s) { s.count("_current_step", current_step_); }

PolynomialShift::PolynomialShift(std::string attr, double rate, double max_count, const ShiftOptions& o)
    : Shift(std::move(attr), o.optimizer), rate_(rate), max_count_(max_count), options_(o) {
  if (!(max_count > 0)) throw ValueError("PolynomialShift: max_count must be positive, not ", max_count);
}
std::optional<double> PolynomialShift::value(int64_t t) {
  return clamped(init_ * std::pow(std::max(1 - static_cast<double>(t) / max_count_, 0.0), rate_), init_,
                 options_.target);
}

std::optional<double> WarmupShift::value(int64_t t) {
  if (t > n_) return {};
  const double now = static_cast<double>(t), n = static_cast<double>(n_);
  return (now * init_ + (n - now) * start_) / n;
}

StepShift::StepShift(std::string attr, double gamma, int64_t step, const ShiftOptions& o)
    : Shift(std::move(attr), o.optimizer), gamma_(gamma), step_(step), options_(o) {
  if (step < 1) throw ValueError("StepShift: step must be 1 or more, not ", step);
}
std::optional<double> StepShift::value(int64_t t) {
  return clamped(init_ * std::pow(gamma_, static_cast<double>(t / step_)), init_, options_.target);
}

}  // namespace chainer::training::extensions
