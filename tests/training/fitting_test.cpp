// SPDX-License-Identifier: MIT
// Schedules with warm-up, gradient accumulation, averaged weights, and logs with an entry per iteration.
#include <cmath>
#include <numbers>

#include "chainer/core/clock.h"
#include "chainer/core/json.h"
#include "chainer/core/system/file.h"
#include "small_run.h"
#include "test.h"

namespace {

AnyDataset few_data(int64_t n = 12, Dtype dtype = float32) {
  random::RandomState r(7);
  return datasets::TupleDataset(r.normal(0, 1, {n, 4}, dtype), r.randint(0, 3, {n}).astype(int32));
}

// Returns the values of a hyperparameter in each update of a run that stops after `cut` iterations and is resumed.
template <class MakeShift>
std::vector<double> values(const MakeShift& shift, int64_t iterations, int64_t cut = 0) {
  std::vector<double> out;
  std::string snapshot;
  for (const int64_t until : {cut, iterations}) {
    if (until == 0) continue;
    random::seed(0);
    L::Classifier model(L::Linear(4, 3));
    auto optimizer = optimizers::SGD(0.5).setup(model);
    iterators::SerialIterator it(few_data(), 4);
    StandardUpdater updater(it, optimizer);
    Trainer trainer(updater, {static_cast<double>(until), "iteration"}, {.out = ::out("shifts")});
    trainer.extend(shift());
    // Runs after the extensions that change hyperparameters, so it sees the value of the next update.
    trainer.extend([&](Trainer&) { out.push_back(optimizer.get("lr")); }, {.priority = -50});
    if (!snapshot.empty()) {
      serializers::NpzDeserializer s(std::make_shared<const serializers::NpzFile>(snapshot, "memory"));
      trainer.serialize(s);
    }
    trainer.run();
    serializers::DictionarySerializer s;
    trainer.serialize(s);
    snapshot = serializers::npz_bytes(s.target());
  }
  return out;
}

}  // namespace

TEST(schedules_with_warmup_follow_their_formulas_and_go_on_bit_for_bit) {
  using namespace extensions;
  const auto cosine = [] { return CosineShift("lr", 10, {.target = 0.1, .warmup = 2, .warmup_start = 0.1}); };
  const auto polynomial = [] { return PolynomialDecay("lr", 10, {.init = 0.8, .warmup = 4, .power = 2}); };
  const auto one_cycle = [] { return OneCycle("lr", 0.5, 10); };
  const std::vector<double> c = values(cosine, 12), p = values(polynomial, 12), o = values(one_cycle, 12);
  for (std::size_t k = 0; k < 12; ++k) {
    const double t = static_cast<double>(k + 1), pi = std::numbers::pi;
    const double cosine_wanted = t < 2     ? 0.1 + 0.4 * t / 2
                                 : t >= 10 ? 0.1
                                           : 0.1 + 0.4 * (1 + std::cos(pi * (t - 2) / 8)) / 2;
    EXPECT(std::abs(c[k] - cosine_wanted) < 1e-15);
    EXPECT(std::abs(p[k] - (t < 4 ? 0.8 * t / 4 : t >= 10 ? 0.0 : 0.8 * std::pow(1 - (t - 4) / 6, 2))) < 1e-15);
  }
  // The formula of PyTorch's OneCycleLR with max_lr=0.5, total_steps=10, after each of nine steps.
  const std::vector<double> cycle{0.26,
                                  0.5,
                                  0.47524231600673683,
                                  0.40587282697488153,
                                  0.30563101096814466,
                                  0.19437098903185537,
                                  0.09412917302511849,
                                  0.024759683993263143,
                                  2e-06};
  for (std::size_t k = 0; k < cycle.size(); ++k) EXPECT(std::abs(o[k] - cycle[k]) < 1e-15);
  EXPECT_EQ(o[11], o[8]);
  for (const int64_t cut : {1, 3, 7}) {
    const auto same = [&](const auto& shift, const std::vector<double>& whole) {
      EXPECT(values(shift, 12, cut) == whole);
    };
    same(cosine, c), same(polynomial, p), same(one_cycle, o);
  }
  // The first update uses the initial value of the warm-up.
  L::Linear model(1, 1);
  auto optimizer = optimizers::SGD(0.5).setup(model);
  iterators::SerialIterator it(few_data(), 4);
  StandardUpdater updater(it, optimizer, {.loss_func = [&](const Variables& x) {
                            EXPECT_EQ(optimizer.get("lr"), 0.25);
                            return F::sum(model(x[0][{ellipsis, Slice(0, 1)}]));
                          }});
  Trainer trainer(updater, {1, "iteration"}, {.out = out("shifts")});
  trainer.extend(CosineShift("lr", 10, {.warmup = 2, .warmup_start = 0.25}));
  trainer.run();

  EXPECT_THROW(ValueError, "CosineShift: 0 <= warmup < max_count", CosineShift("lr", 5, {.warmup = 5}));
  EXPECT_THROW(ValueError, "PolynomialDecay: values must be finite and power positive",
               PolynomialDecay("lr", 5, {.power = 0}));
  // With a rise of less than an iteration, the maximum is before the first one (torch 2.15).
  const auto steep = [] { return OneCycle("lr", 0.1, 5, {.pct_start = 0.1, .div_factor = 2, .final_div_factor = 10}); };
  const std::vector<double> fall = values(steep, 4);
  const std::vector<double> torch{0.07625000000000001, 0.044251711560820806, 0.01611288895184855, 0.005};
  for (std::size_t k = 0; k < torch.size(); ++k) EXPECT(std::abs(fall[k] - torch[k]) < 1e-15);
  EXPECT_THROW(ValueError, "OneCycle: max_count must be 2 or more, not 1", OneCycle("lr", 1, 1));
  EXPECT_THROW(ValueError, "pct_start must be from 0 to 1, not 2", OneCycle("lr", 1, 5, {.pct_start = 2}));
  EXPECT_THROW(ValueError, "values must be positive", OneCycle("lr", -1, 5));
}

// Files of the release have the initial value before the first call, and none for WarmupShift.
TEST(schedules_in_files_of_runs_that_hardly_began) {
  using namespace extensions;
  random::seed(0);
  L::Classifier model(L::Linear(4, 3));
  auto optimizer = optimizers::SGD(0.5).setup(model);
  iterators::SerialIterator it(few_data(), 4);
  StandardUpdater updater(it, optimizer);
  Trainer trainer(updater, {2, "iteration"}, {.out = out("begun")});
  trainer.extend(ExponentialShift("lr", 0.1), {.trigger = {100, "epoch"}});
  trainer.run();
  serializers::DictionarySerializer s;
  trainer.serialize(s);
  EXPECT_EQ(std::get<Array>(s.target().at("extensions/ExponentialShift/_last_value")).item<double>(), 0.5);

  for (const auto& [calls, expected] : {std::pair{int64_t(0), 0.1}, {int64_t(2), 0.3}, {int64_t(9), 0.5}}) {
    auto shift = WarmupShift("lr", 0.1, 4, 0.5);
    const serializers::DictionarySerializer::Target file{{"_t", array(calls)}};
    serializers::NpzDeserializer loaded(
        std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(file), "memory"));
    shift.serialize(loaded);
    shift.initialize(trainer);
    EXPECT(std::abs(optimizer.get("lr") - expected) < 1e-15);
  }
}

TEST(learning_rates_of_adam_and_adamw_are_observed) {
  const auto observed = [](auto method) {
    L::Classifier model(L::Linear(4, 3));
    auto optimizer = std::move(method).setup(model);
    iterators::SerialIterator it(few_data(), 4);
    StandardUpdater updater(it, optimizer);
    Trainer trainer(updater, {1, "iteration"}, {.out = out("observed")});
    double lr = 0;
    trainer.extend(extensions::observe_lr(), {.trigger = {1, "iteration"}});
    trainer.extend([&](Trainer& t) { lr = t.observation.at("lr").number(); }, {.priority = -50});
    trainer.run();
    return lr;
  };
  EXPECT(std::abs(observed(optimizers::Adam({.alpha = 0.25})) - 0.25 * std::sqrt(0.001) / 0.1) < 1e-9);
  EXPECT_EQ(observed(optimizers::AdamW({.alpha = 0.25})), 0.25);
}

TEST(microbatches_give_the_gradient_of_the_whole_batch) {
  const UsingConfig wide(&Config::dtype, float64);
  std::map<int64_t, std::pair<Array, double>> results;
  for (const int64_t n : {1, 2, 3, 5, 100}) {
    random::seed(0);
    L::Classifier model(Sequential(L::Linear(4, 8), F::tanh, L::Linear(8, 3)));
    auto optimizer = optimizers::MomentumSGD(0.1).setup(model);
    iterators::SerialIterator it(few_data(14, float64), 7);
    StandardUpdater updater(it, optimizer, {.microbatches = n});
    Trainer trainer(updater, {6, "iteration"}, {.out = out("microbatches")});
    auto log = std::make_shared<extensions::LogReport>(extensions::LogReportOptions{.trigger = {6, "iteration"}});
    trainer.extend(log);
    trainer.run();
    Arrays all;
    for (const Parameter& p : model.params()) all.push_back(p.array().ravel());
    results[n] = {concatenate(all), log->log()[0].find("main/loss")->number()};
    EXPECT_EQ(optimizer.t, 6);
  }
  for (const auto& [n, result] : results) {
    EXPECT_CLOSE(result.first, results.at(1).first, {.atol = 1e-14, .rtol = 1e-13});
    EXPECT(std::abs(result.second - results.at(1).second) < 1e-13);
  }
  L::Linear model(1, 1);
  auto optimizer = optimizers::SGD().setup(model);
  iterators::SerialIterator it(few_data(), 4);
  EXPECT_THROW(ValueError, "microbatches must be positive, not 0", StandardUpdater(it, optimizer, {.microbatches = 0}));
}

TEST(averages_are_evaluated_and_go_on_from_a_snapshot) {
  std::string snapshot;
  const auto run = [&](int64_t iterations, bool resumed) {
    random::seed(0);
    L::Classifier model(L::Linear(4, 3));
    auto optimizer = optimizers::Adam(0.05).setup(model);
    iterators::SerialIterator it(few_data(), 4), test(few_data(), 4, {.repeat = false, .shuffle = false});
    StandardUpdater updater(it, optimizer);
    L::AveragedModel averaged(model, {.decay = 0.8});
    Trainer trainer(updater, {static_cast<double>(iterations), "iteration"}, {.out = out("averages")});
    trainer.extend(extensions::WeightAverage(averaged));
    trainer.extend(extensions::Evaluator(test, averaged.model()), {.name = "averaged", .trigger = {1, "iteration"}});
    trainer.extend(extensions::LogReport({.trigger = {1, "iteration"}}));
    if (resumed) {
      serializers::NpzDeserializer s(std::make_shared<const serializers::NpzFile>(snapshot, "memory"));
      trainer.serialize(s);
    }
    trainer.run();
    serializers::DictionarySerializer s;
    trainer.serialize(s);
    snapshot = serializers::npz_bytes(s.target());
    EXPECT_EQ(averaged.n_averaged(), iterations);
    const json::Value log = json::parse(read_file(folder / "averages" / "log"));
    EXPECT_EQ(log.list()->size(), static_cast<std::size_t>(iterations));
    EXPECT(log.list()->back().find("averaged/main/loss") != nullptr);
    return averaged.model().params()[0].array().copy();
  };
  const Array whole = run(7, false);
  (void)run(3, false);
  EXPECT_CLOSE(run(7, true), whole, {.atol = 0, .rtol = 0});
}

TEST(a_log_each_iteration_is_whole_at_any_time_and_written_once_a_second) {
  random::seed(0);
  L::Classifier model(L::Linear(4, 3));
  auto optimizer = optimizers::SGD().setup(model);
  iterators::SerialIterator it(few_data(), 4);
  StandardUpdater updater(it, optimizer);
  Trainer trainer(updater, {200, "iteration"}, {.out = out("often")});
  trainer.extend(extensions::LogReport({.trigger = {1, "iteration"}}));
  std::set<fs::file_time_type> times;
  double slept = 0;
  trainer.extend(
      [&](Trainer& t) {
        const json::Value log = json::parse(read_file(folder / "often" / "log"));
        EXPECT(log.list() && !log.list()->empty());
        times.insert(fs::last_write_time(folder / "often" / "log"));
        if (t.updater().iteration() == 100) {
          const double begin = now();
          while (now() - begin < 1.1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          slept = now() - begin;
        }
        // The first entry after one second writes all of them.
        if (t.updater().iteration() == 101) EXPECT(log.list()->size() >= 101);
      },
      {.priority = -50});
  const double begin = now();
  trainer.run();
  EXPECT(static_cast<double>(times.size()) <= 2 + (now() - begin));
  EXPECT(slept > 1);
  EXPECT_EQ(json::parse(read_file(folder / "often" / "log")).list()->size(), 200u);
}

TEST(values_that_some_microbatches_report_are_means_over_those) {
  L::Linear model(4, 1);
  auto optimizer = optimizers::SGD().setup(model);
  int calls = 0;
  const auto loss = [&](const Variables& in) {
    if (calls++ % 2 == 0) report({{"seldom", 4.0}}, &model);
    return F::mean(F::square(model(in[0])));
  };
  iterators::SerialIterator it(few_data(), 4);
  StandardUpdater updater(it, optimizer, {.loss_func = loss, .microbatches = 2});
  Trainer trainer(updater, {1, "iteration"}, {.out = out("seldom")});
  auto log = std::make_shared<extensions::LogReport>(extensions::LogReportOptions{.trigger = {1, "iteration"}});
  trainer.extend(log);
  trainer.run();
  EXPECT_EQ(log->log()[0].find("main/seldom")->number(), 4.0);
}
