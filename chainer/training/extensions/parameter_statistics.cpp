// SPDX-License-Identifier: MIT
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

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
  // Files written by Chainer lack the incomplete interval.
  if (!s.is_loading() || s.contains("_summary/_names")) summary_.serialize(*s.child("_summary"));
}

}  // namespace chainer::training::extensions
