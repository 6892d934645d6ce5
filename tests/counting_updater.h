// An updater without data: what triggers and extensions see of a run.
#pragma once
#include <chainer/chainer.h>

namespace test {

/// Counts its iterations, and reports main/loss = 1/iteration where a trainer observes it.
struct CountingUpdater : chainer::training::Updater {
  explicit CountingUpdater(int64_t per_epoch = 10) : iterations_per_epoch(per_epoch) { optimizer.setup_link(link); }
  chainer::Optimizer& get_optimizer(const std::string&) const override {
    return const_cast<chainer::optimizers::SGD&>(optimizer);
  }
  std::map<std::string, chainer::Optimizer*> get_all_optimizers() const override {
    return {{"main", &get_optimizer("main")}};
  }
  void update() override {
    ++n;
    chainer::report({{"loss", 1.0 / static_cast<double>(n)}}, &link);
  }
  void serialize(chainer::Serializer& s) override { s("iteration", n); }
  int64_t iteration() const override { return n; }
  int64_t epoch() const override { return n / iterations_per_epoch; }
  double epoch_detail() const override { return static_cast<double>(n) / static_cast<double>(iterations_per_epoch); }
  std::optional<double> previous_epoch_detail() const override {
    return static_cast<double>(n - 1) / static_cast<double>(iterations_per_epoch);
  }
  bool is_new_epoch() const override { return n % iterations_per_epoch == 0; }
  chainer::L::Linear link{2, 1};
  chainer::optimizers::SGD optimizer;
  int64_t iterations_per_epoch, n = 0;
};

}  // namespace test
