// Schedules of hyperparameters (manual: "Extensions").
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/training/trainer.h"

namespace chainer {
namespace training::extensions {

/// Base of schedules: each call is one step; `value(t)` is set on the optimizer's hyperparameter.
class Shift : public Extension {
 public:
  Shift(std::string attr, Optimizer* optimizer) : attr_(std::move(attr)), optimizer_(optimizer) {}
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  void finalize() override;
  void serialize(Serializer& s) override;

 protected:
  /// The value before the first call, from what the optimizer has.
  virtual double first(double current) = 0;
  /// The value after call number t (from 1); nothing leaves it alone.
  virtual std::optional<double> value(int64_t t) = 0;
  virtual void serialize_more(Serializer& s) { (void)s; }
  Optimizer& optimizer(Trainer& trainer) const;
  const std::string& attr() const { return attr_; }
  int64_t t_ = 0;
  std::optional<double> last_value_;

 private:
  std::string attr_;
  Optimizer* optimizer_;
  Optimizer* scheduled_ = nullptr;   // from initialize() on
  std::optional<double> last_seen_;  // the optimizer's value in a loaded snapshot, whoever had set it
};
/// What most schedules may be given; an optimizer is borrowed, the trainer's main one by default.
struct ShiftOptions {
  std::optional<double> init = {};    ///< the optimizer's value by default
  std::optional<double> target = {};  ///< the value stops here
  Optimizer* optimizer = nullptr;
};
/// init rate^t, where t counts calls: once an iteration without a trigger, which warns where the value would all but
/// vanish within 100 iterations.
class ExponentialShift : public Shift {
 public:
  ExponentialShift(std::string attr, double rate, const ShiftOptions& options = {});
  void registered(bool with_trigger) override;

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double rate_, init_ = 0;
  ShiftOptions options_;
};
/// init (1 + gamma t)^-power
class InverseShift : public Shift {
 public:
  InverseShift(std::string attr, double gamma, double power, const ShiftOptions& options = {});

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double gamma_, power_, init_ = 0;
  ShiftOptions options_;
};
/// From the first to the second value between two times.
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
/// init gamma^k after k of the given steps, at most one a call.
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
/// init max(1 - t / max_count, 0)^rate; a max_count that is not positive is a ValueError.
class PolynomialShift : public Shift {
 public:
  PolynomialShift(std::string attr, double rate, double max_count, const ShiftOptions& options = {});

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double rate_, max_count_, init_ = 0;
  ShiftOptions options_;
};
/// From warmup_start to init over warmup_iter calls, then left alone.
class WarmupShift : public Shift {
 public:
  WarmupShift(std::string attr, std::optional<double> warmup_start, int64_t warmup_iter, double init,
              Optimizer* optimizer = nullptr)
      : Shift(std::move(attr), optimizer), given_start_(warmup_start), n_(warmup_iter), init_(init) {}

 protected:
  double first(double current) override { return start_ = given_start_.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  std::optional<double> given_start_;
  double start_ = 0;
  int64_t n_;
  double init_;
};
/// init gamma^floor(t / step); a step below 1 is a ValueError.
class StepShift : public Shift {
 public:
  StepShift(std::string attr, double gamma, int64_t step, const ShiftOptions& options = {});

 protected:
  double first(double current) override { return init_ = options_.init.value_or(current); }
  std::optional<double> value(int64_t t) override;

 private:
  double gamma_;
  int64_t step_;
  double init_ = 0;
  ShiftOptions options_;
};

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
