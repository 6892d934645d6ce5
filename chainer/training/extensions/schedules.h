// SPDX-License-Identifier: MIT
// Schedules of hyperparameters (manual: "Extensions").
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace training::extensions {

/// Base of schedules: call number t sets a hyperparameter of the optimizer to value(t).
class Shift : public Extension {
 public:
  Shift(std::string attr, Optimizer* optimizer) : attr_(std::move(attr)), optimizer_(optimizer) {}
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  void serialize(Serializer& s) override;

 protected:
  /// Returns the value before the first call, given the current value of the optimizer; or before a later one (t_ > 0),
  /// in a run resumed from a file without the last value.
  virtual double first(double current) = 0;
  /// Returns the value after call number t (from 1); nothing leaves it unchanged.
  virtual std::optional<double> value(int64_t t) = 0;
  virtual void serialize_more(Serializer& s) { (void)s; }
  Optimizer& optimizer(Trainer& trainer) const;
  const std::string& attr() const { return attr_; }
  int64_t t_ = 0;
  std::optional<double> last_value_;

 private:
  std::string attr_;
  Optimizer* optimizer_;
  Optimizer* scheduled_ = nullptr;   // set by initialize()
  std::optional<double> last_seen_;  // the value of the optimizer in a loaded snapshot
  std::optional<double> found_;      // the value of the optimizer when the run began, at which schedules start
};
/// Options of most schedules.
struct ShiftOptions {
  std::optional<double> init = {};    ///< by default the value of the optimizer
  std::optional<double> target = {};  ///< the limit of the value
  Optimizer* optimizer = nullptr;
};
/// init rate^t, where t counts calls. Without a trigger that is once per iteration; warns if the value would then
/// become negligible within 100 iterations. Throws ValueError for a negative rate.
class ExponentialShift : public Shift {
 public:
  ExponentialShift(std::string attr, double rate, const ShiftOptions& options = {});
  CHAINER_OTHER_OPTIONS(ExponentialShift, ".init, .target, .optimizer", std::string, double);
  void registered(bool with_trigger) override;

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double rate_, init_ = 0;
  ShiftOptions options_;
};
/// init (1 + gamma t)^-power. Throws ValueError for a negative gamma.
class InverseShift : public Shift {
 public:
  InverseShift(std::string attr, double gamma, double power, const ShiftOptions& options = {});
  CHAINER_OTHER_OPTIONS(InverseShift, ".init, .target, .optimizer", std::string, double, double);

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double gamma_, power_, init_ = 0;
  ShiftOptions options_;
};
/// Linear from the first to the second value between two times, constant before and after.
class LinearShift : public Shift {
 public:
  LinearShift(std::string attr, std::pair<double, double> value_range, std::pair<double, double> time_range,
              Optimizer* optimizer = nullptr)
      : Shift(std::move(attr), optimizer), values_(value_range), times_(time_range) {}

 protected:
  double first(double) override { return values_.first; }
  std::optional<double> value(int64_t t) override;

 private:
  std::pair<double, double> values_, times_;
};
/// init gamma^k after k of the given steps, at most one step per call.
class MultistepShift : public Shift {
 public:
  MultistepShift(std::string attr, double gamma, std::vector<int64_t> step_value, double init,
                 Optimizer* optimizer = nullptr)
      : Shift(std::move(attr), optimizer), gamma_(gamma), steps_(std::move(step_value)), init_(init) {}

 protected:
  double first(double) override { return init_; }
  std::optional<double> value(int64_t t) override;
  void serialize_more(Serializer& s) override;

 private:
  double gamma_;
  std::vector<int64_t> steps_;
  double init_;
  int64_t current_step_ = 0;
};
/// init max(1 - t / max_count, 0)^rate. Throws ValueError unless max_count > 0.
class PolynomialShift : public Shift {
 public:
  PolynomialShift(std::string attr, double rate, double max_count, const ShiftOptions& options = {});
  CHAINER_OTHER_OPTIONS(PolynomialShift, ".init, .target, .optimizer", std::string, double, double);

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double rate_, max_count_, init_ = 0;
  ShiftOptions options_;
};
/// Linear from warmup_start to init over warmup_iter calls; unchanged afterwards.
class WarmupShift : public Shift {
 public:
  WarmupShift(std::string attr, std::optional<double> warmup_start, int64_t warmup_iter, double init,
              Optimizer* optimizer = nullptr)
      : Shift(std::move(attr), optimizer), given_start_(warmup_start), n_(warmup_iter), init_(init) {}

 protected:
  double first(double current) override;
  std::optional<double> value(int64_t t) override;

 private:
  std::optional<double> given_start_;
  double start_ = 0;
  int64_t n_;
  double init_;
};
/// init gamma^floor(t / step). Throws ValueError unless step >= 1.
class StepShift : public Shift {
 public:
  StepShift(std::string attr, double gamma, int64_t step, const ShiftOptions& options = {});
  CHAINER_OTHER_OPTIONS(StepShift, ".init, .target, .optimizer", std::string, double, int64_t);

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double gamma_;
  int64_t step_;
  double init_ = 0;
  ShiftOptions options_;
};

/// Options of CosineShift and PolynomialDecay.
struct DecayOptions {
  std::optional<double> init = {};  ///< the highest value; the optimizer's by default
  double target = 0;                ///< the value at max_count, and from there on
  int64_t warmup = 0;               ///< calls in which the value climbs from warmup_start to init
  double warmup_start = 0;
  double power = 1;                ///< PolynomialDecay's exponent
  Optimizer* optimizer = nullptr;  ///< borrowed; the trainer's main one by default
};
/// Cosine annealing (Loshchilov and Hutter, arXiv:1608.03983) after a linear warm-up. After t calls, with
/// p = (t - warmup) / (max_count - warmup): target + (init - target) (1 + cos(pi p)) / 2, and target from max_count on;
/// during the warm-up warmup_start + (init - warmup_start) t / warmup. A max_count that is not larger than warmup, or a
/// negative warmup, is a ValueError.
///   extensions::CosineShift shift("lr", 100, {.init = 0.1, .warmup = 5});
class CosineShift : public Shift {
 public:
  CosineShift(std::string attr, int64_t max_count, const DecayOptions& options = {});
  CHAINER_OTHER_OPTIONS(CosineShift, ".init, .target, .warmup, .warmup_start, .power, .optimizer", std::string,
                        int64_t);

 protected:
  double first(double current) override;
  std::optional<double> value(int64_t t) override;

 private:
  int64_t max_count_;
  double init_ = 0;
  DecayOptions options_;
};
/// Polynomial decay after a linear warm-up: as CosineShift with target + (init - target) (1 - p)^power.
///   extensions::PolynomialDecay shift("lr", 100, {.init = 0.1, .warmup = 5, .power = 2});
class PolynomialDecay : public Shift {
 public:
  PolynomialDecay(std::string attr, int64_t max_count, const DecayOptions& options = {});
  CHAINER_OTHER_OPTIONS(PolynomialDecay, ".init, .target, .warmup, .warmup_start, .power, .optimizer", std::string,
                        int64_t);

 protected:
  double first(double current) override;
  std::optional<double> value(int64_t t) override;

 private:
  int64_t max_count_;
  double init_ = 0;
  DecayOptions options_;
};
/// Options of OneCycle, whose numbers are PyTorch's.
struct OneCycleOptions {
  double pct_start = 0.3;          ///< the part of the calls in which the value climbs
  double div_factor = 25;          ///< it starts at max_value / div_factor
  double final_div_factor = 1e4;   ///< and ends at the start's value / final_div_factor
  bool linear = false;             ///< straight lines instead of half cosines
  Optimizer* optimizer = nullptr;  ///< borrowed; the trainer's main one by default
};
/// The 1cycle policy (Smith and Topin, arXiv:1708.07120) over max_count iterations: the value climbs to max_value and
/// comes down to almost nothing. Iteration number t (from 0) has the value that PyTorch's OneCycleLR has after t steps.
/// A max_count below 2, a pct_start outside of 0 ... 1, or factors and a max_value that are not positive are
/// ValueErrors.
///   extensions::OneCycle shift("lr", 0.1, 100);
class OneCycle : public Shift {
 public:
  OneCycle(std::string attr, double max_value, int64_t max_count, const OneCycleOptions& options = {});
  CHAINER_OTHER_OPTIONS(OneCycle, ".pct_start, .div_factor, .final_div_factor, .linear, .optimizer", std::string,
                        double, int64_t);

 protected:
  double first(double current) override;
  std::optional<double> value(int64_t t) override;

 private:
  double max_value_;
  int64_t max_count_;
  OneCycleOptions options_;
};

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
