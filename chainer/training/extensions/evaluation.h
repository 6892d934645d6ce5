// SPDX-License-Identifier: MIT
// Evaluation and statistics (manual: "Extensions").
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/training/trainer.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace training::extensions {

class Evaluator;
/// Options of Evaluator, in the manual's order.
struct EvaluatorOptions {
  Converter converter = {};
  std::optional<Device> device = {};
  std::function<void(Evaluator&)> eval_hook = {};
  std::function<void(const Variables&)> eval_func = {};  ///< the target by default
};
/// Runs through an iterator in test mode without backprop, and reports the means (each batch has weight 1) with the
/// prefix "validation/". Priority 300, once per epoch. Throws ValueError if the iterator repeats.
class Evaluator : public Extension {
 public:
  Evaluator(NamedKept<Iterator> iterator, NamedKept<Link> target, const EvaluatorOptions& options = {});
  CHAINER_OTHER_OPTIONS(Evaluator, ".converter, .device, .eval_hook, .eval_func", NamedKept<Iterator>, NamedKept<Link>);
  void operator()(Trainer& trainer) override;
  /// Evaluates without a trainer; returns the means by name, without prefix.
  std::map<std::string, double> run();
  virtual std::map<std::string, double> evaluate();
  Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return PRIORITY_WRITER; }
  std::string default_name() const override { return "validation"; }
  void finalize() override;
  Iterator& get_iterator(const std::string& n) const { return iterators_.get(n); }
  Link& get_target(const std::string& n) const { return targets_.get(n); }

 private:
  std::map<std::string, double> run_as(const std::string& prefix);
  NamedKept<Iterator> iterators_;
  NamedKept<Link> targets_;
  EvaluatorOptions options_;
};

/// Reports the sum of one value over an interval divided by the sum of another. Iterations without both do not count.
class MicroAverage : public Extension {
 public:
  MicroAverage(std::string numerator_key, std::string denominator_key, std::string result_key,
               Trigger interval = {1, "epoch"});
  void operator()(Trainer& trainer) override;
  int priority() const override { return PRIORITY_EDITOR; }
  void serialize(Serializer& s) override;

 private:
  std::string numerator_key_, denominator_key_, result_key_;
  Trigger interval_;
  double numerator_ = 0, denominator_ = 0;
};

/// Throws RuntimeError as soon as a parameter has a NaN or an infinity.
class FailOnNonNumber : public Extension {
 public:
  void operator()(Trainer& trainer) override;
};

/// Reports statistics of parameters and gradients, averaged over the interval of the trigger, with keys
/// "{prefix/}{link}/{path}/{data|grad}/{name}".
class ParameterStatistics : public Extension {
 public:
  using Statistic = std::function<std::vector<double>(const Array&)>;
  struct Options {
    std::map<std::string, Statistic> statistics = default_statistics();
    bool report_params = true, report_grads = true;
    std::string prefix = {};
    Trigger trigger = {1, "epoch"};
    bool skip_nan_params = false;
  };
  ParameterStatistics(std::vector<Kept<Link>> links, const Options& options);
  explicit ParameterStatistics(Kept<Link> link)
      : ParameterStatistics(std::vector<Kept<Link>>{std::move(link)}, Options()) {}
  /// Returns mean, std, min, max, zeros, and percentile (at 0, 1, 2 and 3 sigma).
  static std::map<std::string, Statistic> default_statistics();
  void register_statistics(const std::string& name, Statistic f);
  void operator()(Trainer& trainer) override;
  int priority() const override { return PRIORITY_WRITER; }
  void serialize(Serializer& s) override;

 private:
  std::vector<Kept<Link>> links_;
  Options options_;
  DictSummary summary_;
};

/// Returns an extension that adds a value to the observation: once per epoch, priority 300.
std::shared_ptr<Extension> observe_value(const std::string& observation_key,
                                         std::function<double(Trainer&)> target_func);
/// Returns an extension that observes the learning rate of an optimizer (for Adam, the corrected step size).
std::shared_ptr<Extension> observe_lr(const std::string& optimizer_name = "main",
                                      const std::string& observation_key = "lr");

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
