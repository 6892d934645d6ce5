// SPDX-License-Identifier: MIT
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

// A subclass may handle a repeating iterator, so the constructor only warns.
static constexpr const char* kRepeats =
    "Evaluator: the iterator repeats, so an evaluation would never end; construct it with .repeat = false";

Evaluator::Evaluator(NamedKept<Iterator> iterator, NamedKept<Link> target, const EvaluatorOptions& o)
    : iterators_(std::move(iterator)), targets_(std::move(target)), options_(o) {
  if (get_iterator("main").repeat()) warn(kRepeats);
}

std::map<std::string, double> Evaluator::run_as(const std::string& prefix) {
  Reporter reporter;
  for (const auto& [target_name, link] : targets_.all()) observe(reporter, prefix + target_name, *link);
  const auto current = reporter.make_current();
  const UsingConfig test_mode(&Config::train, false);
  return evaluate();
}

void Evaluator::operator()(Trainer& trainer) {
  for (const auto& [key, mean] : run_as(name.empty() ? "" : name + "/"))
    trainer.observation.insert_or_assign(key, mean);
}
std::map<std::string, double> Evaluator::run() { return run_as(""); }

std::map<std::string, double> Evaluator::evaluate() {
  Iterator& iterator = get_iterator("main");
  if (iterator.repeat()) throw ValueError(kRepeats);
  if (options_.eval_hook) options_.eval_hook(*this);
  iterator.reset();
  DictSummary summary;
  while (const std::optional<Examples> batch = iterator.try_next()) {
    Observation observation;
    {
      const auto scope = report_scope(observation);
      const NoBackpropMode no_graph;
      const Example arrays =
          options_.converter ? options_.converter(*batch, options_.device) : concat_examples(*batch, options_.device);
      if (options_.eval_func) {
        Variables args;
        for (const Array& a : arrays.arrays()) args.push_back(a);
        options_.eval_func(args);
      } else {
        (void)call_link(get_target("main"), arrays);
      }
    }
    summary.add(observation);
  }
  return summary.compute_mean();
}

void Evaluator::finalize() {
  for (const auto& [n, i] : iterators_.all()) i->finalize();
}

}  // namespace chainer::training::extensions
