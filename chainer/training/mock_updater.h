// SPDX-License-Identifier: MIT
// Trainers without data, for tests of extensions and triggers (manual: "Testing"). Not included by chainer/chainer.h.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainer/core/report.h"
#include "chainer/links/connection.h"
#include "chainer/optimizers/optimizers.h"
#include "chainer/training/trainer.h"
#include "chainer/training/updater.h"

namespace chainer::testing {

/// An updater that counts iterations and reports main/loss = 1 / iteration.
struct MockUpdater : training::Updater {
  explicit MockUpdater(int64_t per_epoch = 10) : iterations_per_epoch(per_epoch) { optimizer.setup_link(link); }
  Optimizer& get_optimizer(const std::string&) const override { return const_cast<optimizers::SGD&>(optimizer); }
  std::map<std::string, Optimizer*> get_all_optimizers() const override { return {{"main", &get_optimizer("main")}}; }
  void update() override {
    ++n;
    report({{"loss", 1.0 / static_cast<double>(n)}}, &link);
  }
  void serialize(Serializer& s) override { s("iteration", n); }
  int64_t iteration() const override { return n; }
  int64_t epoch() const override { return n / iterations_per_epoch; }
  double epoch_detail() const override { return static_cast<double>(n) / static_cast<double>(iterations_per_epoch); }
  std::optional<double> previous_epoch_detail() const override {
    return static_cast<double>(n - 1) / static_cast<double>(iterations_per_epoch);
  }
  bool is_new_epoch() const override { return n % iterations_per_epoch == 0; }
  links::Linear link{2, 1};
  optimizers::SGD optimizer;
  int64_t iterations_per_epoch, n = 0;
};

/// Returns a trainer with a MockUpdater, which stops after ten iterations by default.
///   auto trainer = testing::get_trainer_with_mock_updater({3, "epoch"}, 5);
///   trainer->run();
///   trainer->updater().iteration()  // 15
inline std::unique_ptr<training::Trainer> get_trainer_with_mock_updater(
    training::Trigger stop_trigger = {10, "iteration"}, int64_t iter_per_epoch = 10,
    const std::vector<std::shared_ptr<training::Extension>>& extensions = {}) {
  auto trainer =
      std::make_unique<training::Trainer>(std::make_shared<MockUpdater>(iter_per_epoch), std::move(stop_trigger));
  for (const auto& e : extensions) trainer->extend(e);
  return trainer;
}

}  // namespace chainer::testing
