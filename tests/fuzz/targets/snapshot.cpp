// SPDX-License-Identifier: MIT
// Loads snapshots of a trainer and continues the training.
#include <unistd.h>

#include <filesystem>

#include "../members.h"
#include "../targets.h"

using namespace chainer;

namespace fuzz {
namespace {

struct MLP : Chain {
  L::Linear l1{3}, l2{2};
  L::LayerNormalization norm{3};
  CHAINER_MEMBERS(MLP, l1, l2, norm);
  Variable forward(const Variable& x) { return l2(F::tanh(norm(l1(x)))); }
};

// A trainer that writes no files, with every extension and trigger that has a state.
struct Run {
  L::Classifier model{MLP()};
  optimizers::Adam optimizer;
  iterators::SerialIterator iterator{datasets::TupleDataset(arange(12).reshape({6, 2}).astype(float32), arange(6) % 2),
                                     2};
  int steps = 0;
  std::FILE* table = std::fopen("/dev/null", "w");
  std::optional<training::StandardUpdater> updater;
  std::optional<Trainer> trainer;

  Run() {
    namespace e = extensions;
    optimizer.setup(model);
    updater.emplace(iterator, optimizer);
    const auto out = std::filesystem::temp_directory_path() / text("chainer-fuzz-out-", ::getpid());
    trainer.emplace(
        *updater, [this](Trainer&) { return steps++ == 3; }, training::TrainerOptions{.out = out.string()});
    const training::Trigger always(1, "iteration");
    trainer->extend(e::LogReport({.trigger = {2, "iteration"}, .log_name = {}}));
    trainer->extend(e::PrintReport({"epoch", "main/loss"}, "LogReport", table));
    trainer->extend(e::MultistepShift("alpha", 0.5, {2, 4}, 0.01), {.trigger = always});
    trainer->extend(e::ExponentialShift("beta1", 0.9),
                    {.trigger = training::triggers::ManualScheduleTrigger({2, 5}, "iteration")});
    trainer->extend(e::MicroAverage("main/loss", "main/accuracy", "ratio", {2, "iteration"}));
    trainer->extend([](Trainer&) {},
                    {.name = "best", .trigger = training::triggers::MinValueTrigger("main/loss", {1, "iteration"})});
    trainer->extend([](Trainer&) {}, {.name = "early",
                                      .trigger = training::triggers::EarlyStoppingTrigger(
                                          {.check_trigger = {1, "iteration"}, .monitor = "main/loss"})});
    trainer->extend([](Trainer&) {}, {.name = "timed", .trigger = training::triggers::TimeTrigger(1e-9)});
    trainer->extend([](Trainer&) {}, {.name = "once", .trigger = training::triggers::OnceTrigger()});
  }
  ~Run() { std::fclose(table); }
};

}  // namespace

const Members& snapshot_members() {
  static const Members members = [] {
    random::seed(1);
    Run run;
    Members out;
    run.trainer->extend([&](Trainer& t) {
      if (t.updater().iteration() == 3) out = members_of(t);
    });
    run.trainer->run(false);
    return out;
  }();
  return members;
}

void snapshot(std::string_view bytes) {
  const Members& members = snapshot_members();
  Run run;
  try {
    serializers::NpzDeserializer s(replaced(members, bytes));
    run.trainer->serialize(s);
    run.trainer->run(false);
  } catch (const Error&) {}
}

}  // namespace fuzz
