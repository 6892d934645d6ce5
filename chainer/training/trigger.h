// SPDX-License-Identifier: MIT
// Triggers, which determine when extensions run and when training stops (manual: "Triggers").
#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/autograd/reporter.h"
#include "chainer/core/serializer.h"
#include "chainer/core/other_options.h"

namespace chainer::training {

class Trainer;

/// The unit of a period.
enum class Unit { iteration, epoch };
/// Returns the unit named "iteration" or "epoch". Throws ValueError for another word.
Unit parse_unit(std::string_view text);
std::string_view name(Unit unit);

/// Base of triggers with a state.
class TriggerBase {
 public:
  virtual ~TriggerBase() = default;
  virtual bool operator()(Trainer& trainer) = 0;
  virtual void serialize(Serializer& s) { (void)s; }
  /// Returns the length of training, for stop triggers that know it.
  virtual std::optional<std::pair<double, Unit>> get_training_length() const { return {}; }
};

/// Any trigger: an interval {20, "epoch"}, a trigger object, or a function of the trainer. A default-constructed
/// Trigger means "not given". A copy has its own state, so one Trigger may be passed to several extensions; only a
/// trigger that is passed as a std::shared_ptr is shared.
class Trigger {
 public:
  Trigger() = default;
  Trigger(const Trigger& o) : trigger_(o.copy_ ? o.copy_(*o.trigger_) : o.trigger_), copy_(o.copy_) {}
  Trigger(Trigger&& o) noexcept : trigger_(std::move(o.trigger_)), copy_(std::exchange(o.copy_, nullptr)) {}
  Trigger& operator=(Trigger o) {
    trigger_ = std::move(o.trigger_);
    copy_ = std::exchange(o.copy_, nullptr);
    return *this;
  }
  template <class T>
  requires std::is_arithmetic_v<T> Trigger(T period, std::string_view unit)
      : Trigger(static_cast<double>(period), parse_unit(unit)) {}
  Trigger(double period, Unit unit);
  template <std::derived_from<TriggerBase> T>
  Trigger(T trigger) : trigger_(std::make_shared<T>(std::move(trigger))) {
    if constexpr (std::is_copy_constructible_v<T>)
      copy_ = [](const TriggerBase& t) -> std::shared_ptr<TriggerBase> {
        return std::make_shared<T>(static_cast<const T&>(t));
      };
  }
  Trigger(std::shared_ptr<TriggerBase> trigger) : trigger_(std::move(trigger)) {}
  template <class F>
  requires(std::is_invocable_r_v<bool, F&, Trainer&> && !std::derived_from<F, TriggerBase>) Trigger(F f)
      : Trigger(from_function(std::move(f))) {}

  bool given() const { return trigger_ != nullptr; }
  /// Returns true if the trigger fires. A trigger that is not given never fires.
  bool operator()(Trainer& trainer) const { return trigger_ && (*trigger_)(trainer); }
  void serialize(Serializer& s) const {
    if (trigger_) trigger_->serialize(s);
  }
  std::optional<std::pair<double, Unit>> get_training_length() const {
    return trigger_ ? trigger_->get_training_length() : std::nullopt;
  }
  /// Returns this trigger, or `otherwise` if it is not given.
  Trigger value_or(Trigger otherwise) const { return given() ? *this : otherwise; }

 private:
  static Trigger from_function(std::function<bool(Trainer&)> f);
  std::shared_ptr<TriggerBase> trigger_;
  std::shared_ptr<TriggerBase> (*copy_)(const TriggerBase&) = nullptr;  // none: copies share
};
/// The manual's conversion to a trigger; in C++ the constructors of Trigger.
inline Trigger get_trigger(Trigger t) { return t; }

namespace triggers {

/// The iteration and epoch at the last call of a trigger. Empty if a loaded snapshot does not contain them: the next
/// call then assumes that the trigger was called at the previous iteration, as the release does.
struct LastCall {
  std::optional<int64_t> iteration = 0;
  std::optional<double> epoch_detail = 0;
  /// Sets values that are empty to those of the previous iteration.
  void guess(const Trainer& trainer);
  /// Sets the values to the current iteration and epoch.
  void now(const Trainer& trainer);
  void serialize(Serializer& s);
};

/// Fires if a multiple of the period has been passed since the last call, so the trigger may be called at any rate. The
/// constructor throws ValueError unless period > 0.
class IntervalTrigger : public TriggerBase {
 public:
  IntervalTrigger(double period, Unit unit);
  IntervalTrigger(double period, std::string_view unit) : IntervalTrigger(period, parse_unit(unit)) {}
  bool operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;
  std::optional<std::pair<double, Unit>> get_training_length() const override { return std::pair(period, unit); }
  const double period;
  const Unit unit;

 private:
  LastCall last_;
};

/// Fires if one of the points has been passed since the last call.
class ManualScheduleTrigger : public TriggerBase {
 public:
  ManualScheduleTrigger(std::vector<double> points, std::string_view unit)
      : points_(std::move(points)), unit_(parse_unit(unit)) {}
  ManualScheduleTrigger(double point, std::string_view unit)
      : ManualScheduleTrigger(std::vector<double>{point}, unit) {}
  bool operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 private:
  std::vector<double> points_;
  Unit unit_;
  LastCall last_;
};

/// Fires at the end of an interval if the mean of a reported value over it is the first, or better than the best so
/// far. NaN is not better than any value. Throws KeyError if the value was not reported in the interval.
class BestValueTrigger : public TriggerBase {
 public:
  BestValueTrigger(std::string key, std::function<bool(double best, double now)> compare,
                   Trigger trigger = {1, "epoch"});
  bool operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;
  std::optional<double> best_value() const { return best_; }

 private:
  std::string key_;
  std::function<bool(double, double)> compare_;
  Trigger interval_;
  DictSummary summary_;
  std::optional<double> best_;
  bool loaded_ = false;  // not checked since loading: the reports of the interval may be older than the snapshot
};
struct MaxValueTrigger : BestValueTrigger {
  explicit MaxValueTrigger(std::string key, Trigger trigger = {1, "epoch"});
};
struct MinValueTrigger : BestValueTrigger {
  explicit MinValueTrigger(std::string key, Trigger trigger = {1, "epoch"});
};

/// Whether larger or smaller values of the monitor of EarlyStoppingTrigger are better; `automatic`: larger ones for an
/// accuracy, smaller ones otherwise.
enum class EarlyStoppingMode { automatic, max, min };
/// Options of EarlyStoppingTrigger, in the manual's order.
struct EarlyStoppingOptions {
  Trigger check_trigger = {1, "epoch"};
  std::string monitor = "main/loss";
  int64_t patients = 3;
  EarlyStoppingMode mode = EarlyStoppingMode::automatic;
  bool verbose = false;
  Trigger max_trigger = {100, "epoch"};
};
/// Fires after `patients` checks without improvement, or when max_trigger does.
class EarlyStoppingTrigger : public TriggerBase {
 public:
  explicit EarlyStoppingTrigger(const EarlyStoppingOptions& options = {});
  CHAINER_OTHER_OPTIONS(EarlyStoppingTrigger, ".check_trigger, .monitor, .patients, .mode, .verbose, .max_trigger");
  bool operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;
  std::optional<std::pair<double, Unit>> get_training_length() const override {
    return options_.max_trigger.get_training_length();
  }

 private:
  EarlyStoppingOptions options_;
  bool larger_is_better_;
  DictSummary summary_;
  double best_;
  int64_t count_ = 0;
};

/// Fires each time `period` seconds of training have passed. After loading a snapshot without this trigger, counts from
/// the time of the snapshot.
class TimeTrigger : public TriggerBase {
 public:
  explicit TimeTrigger(double period) : period_(period), next_time_(period) {}
  bool operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 private:
  double period_;
  std::optional<double> next_time_;
};

/// Fires once, at the first call in the whole training; with call_on_resume also at the first call after resuming.
/// After loading a snapshot without this trigger, it counts as having fired.
class OnceTrigger : public TriggerBase {
 public:
  explicit OnceTrigger(bool call_on_resume = false) : call_on_resume_(call_on_resume) {}
  bool operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 private:
  bool call_on_resume_, done_ = false;
};

}  // namespace triggers
}  // namespace chainer::training

namespace chainer {
using training::Trigger;
namespace triggers = training::triggers;
}  // namespace chainer
