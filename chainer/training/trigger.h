// Triggers: when extensions run and when training stops (manual: "Triggers").
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

namespace chainer::training {

class Trainer;

/// "iteration" or "epoch".
enum class Unit { iteration, epoch };
Unit parse_unit(std::string_view text);
std::string_view name(Unit unit);

/// Base of triggers with a state.
class TriggerBase {
 public:
  virtual ~TriggerBase() = default;
  virtual bool operator()(Trainer& trainer) = 0;
  virtual void serialize(Serializer& s) { (void)s; }
  /// How long training is, for a stop trigger that knows.
  virtual std::optional<std::pair<double, Unit>> get_training_length() const { return {}; }
};

/// Any trigger: an interval {20, "epoch"}, a trigger object, or a function of the trainer. Default-constructed: not
/// given. A copy has a state of its own, so that one Trigger may be given to several extensions; only a trigger that is
/// given as a std::shared_ptr is shared.
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
  /// A trigger that was not given never fires.
  bool operator()(Trainer& trainer) const { return trigger_ && (*trigger_)(trainer); }
  void serialize(Serializer& s) const {
    if (trigger_) trigger_->serialize(s);
  }
  std::optional<std::pair<double, Unit>> get_training_length() const {
    return trigger_ ? trigger_->get_training_length() : std::nullopt;
  }
  /// This one, or `otherwise` if it was not given.
  Trigger value_or(Trigger otherwise) const { return given() ? *this : otherwise; }

 private:
  static Trigger from_function(std::function<bool(Trainer&)> f);
  std::shared_ptr<TriggerBase> trigger_;
  std::shared_ptr<TriggerBase> (*copy_)(const TriggerBase&) = nullptr;  // none: copies share
};
/// The manual's conversion: here Trigger's constructors.
inline Trigger get_trigger(Trigger t) { return t; }

namespace triggers {

/// Where training stood when a trigger was called last. Nothing where a loaded snapshot does not tell: the next call
/// takes it that the iteration before was looked at, as the release does, instead of all that went before.
struct LastCall {
  std::optional<int64_t> iteration = 0;
  std::optional<double> epoch_detail = 0;
  /// Fills in what is not known.
  void guess(const Trainer& trainer);
  /// Notes where training stands.
  void now(const Trainer& trainer);
  void serialize(Serializer& s);
};

/// Fires when a multiple of the period was passed since the last call, so it may be called at any rate.
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

/// Fires when one of the points was passed since the last call.
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

/// Fires when the mean of a reported value over an interval is the first, or better than the best so far.
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
};
struct MaxValueTrigger : BestValueTrigger {
  explicit MaxValueTrigger(std::string key, Trigger trigger = {1, "epoch"});
};
struct MinValueTrigger : BestValueTrigger {
  explicit MinValueTrigger(std::string key, Trigger trigger = {1, "epoch"});
};

/// Which values of EarlyStoppingTrigger's monitor are better; `automatic`: larger ones of an accuracy, smaller ones of
/// anything else.
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

/// Fires each time so many seconds of training have passed. After a snapshot that lacks it, it counts on from there.
class TimeTrigger : public TriggerBase {
 public:
  explicit TimeTrigger(double period) : period_(period), next_time_(period) {}
  bool operator()(Trainer& trainer) override;
  void serialize(Serializer& s) override;

 private:
  double period_;
  std::optional<double> next_time_;
};

/// Fires once, at the first call of the whole training (or at its start, also after resuming). After a snapshot that
/// lacks it, the first call is taken to have been.
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
