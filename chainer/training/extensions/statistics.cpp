// MicroAverage, FailOnNonNumber, ParameterStatistics and the observers of values.
#include <cmath>

#include "chainer/optimizers/optimizers.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

MicroAverage::MicroAverage(std::string numerator_key, std::string denominator_key, std::string result_key,
                           Trigger interval)
    : numerator_key_(std::move(numerator_key)),
      denominator_key_(std::move(denominator_key)),
      result_key_(std::move(result_key)),
      interval_(std::move(interval)) {}

void MicroAverage::operator()(Trainer& trainer) {
  const auto n = trainer.observation.find(numerator_key_), d = trainer.observation.find(denominator_key_);
  if (n != trainer.observation.end() && d != trainer.observation.end()) {
    numerator_ += n->second.number();
    denominator_ += d->second.number();
  }
  if (!interval_(trainer)) return;
  trainer.observation.insert_or_assign(result_key_, numerator_ / denominator_);
  numerator_ = denominator_ = 0;
}
void MicroAverage::serialize(Serializer& s) {
  s("_numerator", numerator_);
  s("_denominator", denominator_);
  interval_.serialize(*s.child("_trigger"));
}

void FailOnNonNumber::operator()(Trainer& trainer) {
  for (const auto& [optimizer_name, optimizer] : trainer.updater().get_all_optimizers())
    for (const auto& [path, p] : optimizer->target().namedparams(false))
      if (!all(isfinite(p.array())).item<bool>())
        throw RuntimeError("Kill the process since parameters in optimizer '", optimizer_name, "' diverge: ", path,
                           " is not finite. R.I.P.");
}

std::map<std::string, ParameterStatistics::Statistic> ParameterStatistics::default_statistics() {
  return {
      {"mean", [](const Array& a) { return std::vector{mean(a).item<double>()}; }},
      {"std", [](const Array& a) { return std::vector{chainer::std(a).item<double>()}; }},
      {"min", [](const Array& a) { return std::vector{min(a).item<double>()}; }},
      {"max", [](const Array& a) { return std::vector{max(a).item<double>()}; }},
      {"zeros",
       [](const Array& a) { return std::vector{static_cast<double>(a.size() - count_nonzero(a).item<int64_t>())}; }},
      {"percentile", [](const Array& a) {
         return percentile(a, {0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87});
       }}};
}

ParameterStatistics::ParameterStatistics(std::vector<Kept<Link>> links, const Options& options)
    : links_(std::move(links)), options_(options) {}

void ParameterStatistics::register_statistics(const std::string& name, Statistic f) {
  options_.statistics[name] = std::move(f);
}
void ParameterStatistics::operator()(Trainer& trainer) {
  Observation found;
  const std::string prefix = options_.prefix.empty() ? "" : options_.prefix + "/";
  const auto report_all = [&](const std::string& key, const Array& a) {
    if (!a || a.size() == 0 || (options_.skip_nan_params && any(isnan(a)).item<bool>())) return;
    for (const auto& [statistic, f] : options_.statistics) {
      const std::vector<double> values = f(a);
      for (std::size_t i = 0; i < values.size(); ++i)
        found.insert_or_assign(values.size() == 1 ? text(key, "/", statistic) : text(key, "/", statistic, "/", i),
                               values[i]);
    }
  };
  for (const auto& link : links_) {
    for (const auto& [path, p] : link->namedparams(false)) {
      const std::string key = prefix + link->name() + path;
      if (options_.report_params) report_all(key + "/data", p.array());
      if (options_.report_grads) report_all(key + "/grad", p.grad());
    }
  }
  summary_.add(found);
  if (!options_.trigger(trainer)) return;
  for (const auto& [key, value] : summary_.compute_mean()) trainer.observation.insert_or_assign(key, value);
  summary_ = {};
}

void ParameterStatistics::serialize(Serializer& s) {
  options_.trigger.serialize(*s.child("_trigger"));
  // The release's files lack the open interval.
  if (!s.is_loading() || s.contains("_summary/_names")) summary_.serialize(*s.child("_summary"));
}

std::shared_ptr<Extension> observe_value(const std::string& key, std::function<double(Trainer&)> f) {
  return make_extension([key, f = std::move(f)](Trainer& t) { t.observation.insert_or_assign(key, f(t)); },
                        {.trigger = {1, "epoch"}, .default_name = "_observe_value", .priority = PRIORITY_WRITER});
}
std::shared_ptr<Extension> observe_lr(const std::string& optimizer_name, const std::string& key) {
  return observe_value(key, [optimizer_name](Trainer& t) {
    const Optimizer& o = t.updater().get_optimizer(optimizer_name);
    const auto* adam = dynamic_cast<const optimizers::Adam*>(&o);
    return adam ? adam->lr() : o.get("lr");
  });
}

}  // namespace chainer::training::extensions
