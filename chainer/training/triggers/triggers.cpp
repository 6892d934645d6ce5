// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "chainer/core/error.h"
#include "chainer/training/trainer.h"

namespace chainer::training {

Unit parse_unit(std::string_view s) {
  if (s == "iteration") return Unit::iteration;
  if (s == "epoch") return Unit::epoch;
  throw ValueError("a trigger's unit is 'iteration' or 'epoch', not '", s, "'");
}
std::string_view name(Unit u) { return u == Unit::iteration ? "iteration" : "epoch"; }

Trigger::Trigger(double period, Unit unit) : Trigger(triggers::IntervalTrigger(period, unit)) {}

Trigger Trigger::from_function(std::function<bool(Trainer&)> f) {
  struct FunctionTrigger : TriggerBase {
    explicit FunctionTrigger(std::function<bool(Trainer&)> g) : f(std::move(g)) {}
    bool operator()(Trainer& t) override { return f(t); }
    std::function<bool(Trainer&)> f;
  };
  return Trigger(FunctionTrigger(std::move(f)));
}

namespace triggers {
namespace {

void serialize_optional(Serializer& s, const char* key, std::optional<double>& v) {
  if (s.is_loading() && !s.contains(key)) return;
  double x = v.value_or(std::nan(""));
  s(key, x);
  if (s.is_loading()) v = std::isnan(x) ? std::nullopt : std::optional<double>(x);
}

// Returns the keys reported in this iteration, for messages.
std::string reported_now(const Trainer& trainer, const std::string& wanted) {
  std::vector<std::string> keys;
  std::string list;
  for (const auto& [key, value] : trainer.observation) {
    keys.push_back(key);
    list += (list.empty() ? "" : ", ") + key;
  }
  return text(did_you_mean(wanted, keys), "; this iteration reported: ", list.empty() ? "nothing" : list);
}

// The mean of one key over an interval. Chainer ignores these keys.
void serialize_summary(Serializer& s, DictSummary& summary) {
  if (s.is_loading() && !s.contains("_summary/_names")) return;
  summary.serialize(*s.child("_summary"));
}

}  // namespace

void LastCall::guess(const Trainer& trainer) {
  const Updater& u = trainer.updater();
  if (!iteration) iteration = std::max<int64_t>(0, u.iteration() - 1);
  if (!epoch_detail) epoch_detail = u.previous_epoch_detail().value_or(u.epoch_detail());
}
void LastCall::now(const Trainer& trainer) {
  iteration = trainer.updater().iteration();
  epoch_detail = trainer.updater().epoch_detail();
}
void LastCall::serialize(Serializer& s) {
  // Negative numbers mean unknown, as in Chainer.
  int64_t i = s.is_loading() ? -1 : iteration.value_or(-1);
  double e = s.is_loading() ? -1 : epoch_detail.value_or(-1);
  if (!s.is_loading() || s.contains("previous_iteration")) s.integer("previous_iteration", i);
  if (!s.is_loading() || s.contains("previous_epoch_detail")) s("previous_epoch_detail", e);
  if (i > int64_t(1) << 53) throw ValueError("trigger: the stored previous_iteration ", i, " is out of range");
  iteration = i < 0 ? std::nullopt : std::optional(i);
  epoch_detail = e >= 0 ? std::optional(e) : std::nullopt;
}

IntervalTrigger::IntervalTrigger(double p, Unit u) : period(p), unit(u) {
  if (!(p > 0)) throw ValueError("an interval trigger's period must be positive, not ", p);
}
// Floor division as Python's //: 2.0 // 0.4 is 4, because the double 0.4 is slightly larger than 2/5.
static double whole_periods(double t, double period) { return std::round((t - std::fmod(t, period)) / period); }

bool IntervalTrigger::operator()(Trainer& trainer) {
  last_.guess(trainer);
  const double before = unit == Unit::epoch ? *last_.epoch_detail : static_cast<double>(*last_.iteration);
  last_.now(trainer);
  const double now = unit == Unit::epoch ? *last_.epoch_detail : static_cast<double>(*last_.iteration);
  return whole_periods(before, period) != whole_periods(now, period);
}
void IntervalTrigger::serialize(Serializer& s) { last_.serialize(s); }

bool ManualScheduleTrigger::operator()(Trainer& trainer) {
  last_.guess(trainer);
  const double before = unit_ == Unit::epoch ? *last_.epoch_detail : static_cast<double>(*last_.iteration);
  last_.now(trainer);
  const double now = unit_ == Unit::epoch ? *last_.epoch_detail : static_cast<double>(*last_.iteration);
  return std::any_of(points_.begin(), points_.end(), [&](double p) { return before < p && p <= now; });
}
void ManualScheduleTrigger::serialize(Serializer& s) { last_.serialize(s); }

BestValueTrigger::BestValueTrigger(std::string key, std::function<bool(double, double)> compare, Trigger trigger)
    : key_(std::move(key)), compare_(std::move(compare)), interval_(std::move(trigger)) {}
MaxValueTrigger::MaxValueTrigger(std::string key, Trigger trigger)
    : BestValueTrigger(
          std::move(key), [](double best, double now) { return now > best; }, std::move(trigger)) {}
MinValueTrigger::MinValueTrigger(std::string key, Trigger trigger)
    : BestValueTrigger(
          std::move(key), [](double best, double now) { return now < best; }, std::move(trigger)) {}
bool BestValueTrigger::operator()(Trainer& trainer) {
  if (const auto it = trainer.observation.find(key_); it != trainer.observation.end()) summary_.add({*it});
  if (!interval_(trainer)) return false;
  const auto means = summary_.compute_mean();
  summary_ = {};
  const auto it = means.find(key_);
  const bool loaded = std::exchange(loaded_, false);
  if (it == means.end() && loaded) return false;
  if (it == means.end())
    throw KeyError("BestValueTrigger: '", key_, "' was not reported in the interval", reported_now(trainer, key_));
  if (std::isnan(it->second) || (best_ && !compare_(*best_, it->second))) return false;
  best_ = it->second;
  return true;
}
void BestValueTrigger::serialize(Serializer& s) {
  interval_.serialize(*s.child("_trigger"));
  serialize_summary(s, summary_);
  serialize_optional(s, "_best_value", best_);
  if (s.is_loading()) loaded_ = true;
}

EarlyStoppingTrigger::EarlyStoppingTrigger(const EarlyStoppingOptions& o) : options_(o) {
  using enum EarlyStoppingMode;
  larger_is_better_ = o.mode == max || (o.mode == automatic && o.monitor.find("accuracy") != std::string::npos);
  best_ = larger_is_better_ ? -HUGE_VAL : HUGE_VAL;
}
bool EarlyStoppingTrigger::operator()(Trainer& trainer) {
  const auto it = trainer.observation.find(options_.monitor);
  if (it != trainer.observation.end()) summary_.add({*it});
  if (options_.max_trigger(trainer)) return true;
  if (!options_.check_trigger(trainer)) return false;
  const auto means = summary_.compute_mean();
  summary_ = {};
  const auto mean = means.find(options_.monitor);
  if (mean == means.end()) {
    warn(text("EarlyStoppingTrigger: '", options_.monitor,
              "' was not reported in the interval that ended at iteration ", trainer.updater().iteration(),
              ", which is ignored", reported_now(trainer, options_.monitor)));
    return false;
  }
  if (larger_is_better_ ? mean->second > best_ : mean->second < best_) {
    best_ = mean->second;
    count_ = 0;
    return false;
  }
  if (++count_ < options_.patients) return false;
  if (options_.verbose) std::printf("Epoch %lld: early stopping\n", static_cast<long long>(trainer.updater().epoch()));
  return true;
}
void EarlyStoppingTrigger::serialize(Serializer& s) {
  options_.check_trigger.serialize(*s.child("_check_trigger"));
  options_.max_trigger.serialize(*s.child("_max_trigger"));
  serialize_summary(s, summary_);
  if (!s.is_loading() || s.contains("_best")) s("_best", best_);
  if (!s.is_loading() || s.contains("_count")) s.count("_count", count_);
}

bool TimeTrigger::operator()(Trainer& trainer) {
  const double now = trainer.elapsed_time();
  if (!next_time_) next_time_ = (std::floor(now / period_) + 1) * period_;
  if (*next_time_ >= now) return false;
  *next_time_ += period_;
  return true;
}
void TimeTrigger::serialize(Serializer& s) {
  if (s.is_loading()) next_time_.reset();
  serialize_optional(s, "next_time", next_time_);
}

bool OnceTrigger::operator()(Trainer&) {
  if (done_) return false;
  done_ = true;
  return true;
}
void OnceTrigger::serialize(Serializer& s) {
  bool done = done_ || s.is_loading();
  if (!s.is_loading() || s.contains("_done")) s("_done", done);
  if (s.is_loading()) done_ = done && !call_on_resume_;
}

}  // namespace triggers
}  // namespace chainer::training
