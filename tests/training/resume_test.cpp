// SPDX-License-Identifier: MIT
// Stops training after each of its iterations and resumes it from the snapshot with new objects, in random combinations
// of iterators, updaters, optimizers, hooks, dtypes, triggers and extensions: every later snapshot must have the same
// bits as in the uninterrupted run. CHAINER_TEST_ROUNDS sets the number of rounds, CHAINER_TEST_SEED the seed.
#include <cstring>

#include "chainer/core/json.h"
#include "chainer/serializers/zip.h"
#include "all_optimizers.h"
#include "small_run.h"
#include "test.h"

namespace {

using Bytes = std::map<int64_t, std::string>;  // snapshots by iteration

// Saves the trainer after every iteration, after all other extensions; if resumed, loads it before the first.
struct Keeper : Extension {
  Bytes* saved;
  std::string start;
  Keeper(Bytes* saved, std::string start) : saved(saved), start(std::move(start)) {}
  int priority() const override { return -100; }
  void load(Trainer& t) override {
    if (start.empty()) return;
    serializers::NpzDeserializer in(std::make_shared<const serializers::NpzFile>(start, "memory"));
    t.serialize(in);
  }
  void operator()(Trainer& t) override {
    serializers::DictionarySerializer out;
    t.serialize(out);
    auto members = out.target();
    members["_snapshot_elapsed_time"] = array(0.0);
    members["_run_begun"] = array(0.0);
    (*saved)[t.updater().iteration()] = serializers::npz_bytes(members, false);
  }
};

struct NormalizedNet : Chain {
  L::Linear l1{5, 6}, l2{6, 3};
  L::BatchNormalization norm{6};
  bool drops;
  explicit NormalizedNet(bool drops) : drops(drops) {}
  CHAINER_MEMBERS(NormalizedNet, l1, l2, norm);
  Variable forward(const Variable& x) {
    const Variable h = F::tanh(norm(l1(x)));
    return l2(drops ? F::dropout(h, 0.3) : h);
  }
};

// A combination; the same seed creates the same objects.
struct Combined {
  static constexpr int kIterations = 11, kExamples = 23, kBatch = 5;
  dataset::ExampleRandom r;
  std::string words;
  int64_t pick(int64_t n) { return r.below(n); }
  template <class T>
  void say(const T& word) {
    words += text(words.empty() ? "" : ", ", word);
  }

  std::unique_ptr<L::Classifier> model;
  std::unique_ptr<GradientMethod> optimizer;
  std::vector<std::unique_ptr<Iterator>> iterators_;
  std::unique_ptr<Iterator> test;
  std::unique_ptr<Updater> updater;
  std::unique_ptr<Trainer> trainer;
  std::vector<std::string> fired;
  DefaultDtype dtype = float32;
  Bytes saved;

  explicit Combined(uint64_t seed, const std::string& start = {}) : r(seed) {
    const DefaultDtype dtypes[] = {float32, float16, float16, float64, mixed16, mixed_bfloat16};
    const auto d = pick(6);
    dtype = dtypes[d];
    const UsingConfig while_made(&Config::dtype, dtype);
    say(d == 2 ? "float16 with copies in float32" : to_string(dtype));
    const auto kind = pick(6);  // the kind of updater
    model = std::make_unique<L::Classifier>(NormalizedNet(kind < 4 && pick(2) == 0));
    const auto& [name, make] =
        all_optimizers::rows()[static_cast<std::size_t>(pick(static_cast<int64_t>(all_optimizers::rows().size())))];
    say(name);
    optimizer = make();
    if (d == 2) optimizer->use_fp32_update();
    const bool scales = d == 4 && kind < 4;
    if (scales) optimizer->loss_scaling({.interval = 3, .initial = 1 << 20});
    optimizer->setup_link(*model);
    add_hooks();
    for (int i = 0; i < (kind == 5 ? 2 : 1); ++i) iterators_.push_back(make_iterator(dtypes[d]));
    if (kind == 4) {
      say("two models");
      updater = std::make_unique<ParallelUpdater>(
          *iterators_[0], *optimizer,
          updaters::ParallelUpdaterOptions{
              .devices = {{"main", get_device("@cpu:0")}, {"second", get_device("@cpu:1")}}});
    } else if (kind == 5) {
      say("two models and iterators");
      updater = std::make_unique<MultiprocessParallelUpdater>(
          std::vector<Kept<Iterator>>{*iterators_[0], *iterators_[1]}, *optimizer);
    } else {
      updater = std::make_unique<StandardUpdater>(
          *iterators_[0], *optimizer,
          updaters::StandardUpdaterOptions{.loss_scale = pick(3) == 0 && !scales ? std::optional(4.0) : std::nullopt});
    }
    trainer = std::make_unique<Trainer>(*updater, stop_trigger(), out("resume"));
    add_extensions(dtypes[d]);
    trainer->extend(std::make_shared<Keeper>(&saved, start));
  }
  void run() {
    const UsingConfig mode(&Config::dtype, dtype);
    trainer->run(false);
  }

 private:
  AnyDataset examples(Dtype dtype) {
    random::RandomState data(1);
    return datasets::TupleDataset(data.rand({kExamples, 5}).astype(dtype), data.randint(0, 3, {kExamples}, int32));
  }
  std::unique_ptr<Iterator> make_iterator(Dtype dtype) {
    const auto kind = pick(4);
    const AnyDataset d = examples(dtype);
    const std::optional<bool> shuffle = pick(3) > 0;
    if (kind == 0)
      return say("serial"),
             std::make_unique<iterators::SerialIterator>(d, kBatch, iterators::IteratorOptions{.shuffle = shuffle});
    if (kind == 1)
      return say("threads"), std::make_unique<iterators::MultithreadIterator>(
                                 d, kBatch, iterators::IteratorOptions{.shuffle = shuffle, .n_threads = 2});
    const int64_t ahead = 1 + pick(6);
    say(text(ahead, " batches ahead"));
    return std::make_unique<iterators::MultiprocessIterator>(
        d, kBatch, iterators::MultiprocessIteratorOptions{.shuffle = shuffle, .n_processes = 0, .n_prefetch = ahead});
  }
  void add_hooks() {
    namespace h = optimizer_hooks;
    const std::vector<std::shared_ptr<optimizer::Hook>> all = {
        std::make_shared<h::WeightDecay>(.1),
        std::make_shared<h::Lasso>(.01),
        std::make_shared<h::GradientClipping>(.5),
        std::make_shared<h::GradientHardClipping>(-.1, .2),
        std::make_shared<h::GradientLARS>(.01, .1),
        std::make_shared<h::GradientNoise>(.1),
        optimizer::make_hook(
            "clipped weights", [](UpdateRule&, Parameter& p) { p.set_array(clip(p.array(), -.6, .6)); },
            optimizer::Timing::post)};
    for (const auto& hook : all)
      if (pick(4) == 0) {
        say(hook->name());
        optimizer->add_hook(hook);
      }
  }
  Trigger stop_trigger() {
    if (pick(2) == 0) return {kIterations, "iteration"};
    say("early stopping");
    return early_stopping();
  }
  Trigger early_stopping() {
    return triggers::EarlyStoppingTrigger({.check_trigger = {1 + pick(3), "iteration"},
                                           .monitor = "main/loss",
                                           .patients = 1 + pick(3),
                                           .max_trigger = {kIterations, "iteration"}});
  }
  Trigger some_trigger() {
    switch (pick(8)) {
      case 0: return {1 + pick(4), "iteration"};
      case 1: return {0.3, "epoch"};
      case 2: return {1, "epoch"};
      case 3: return triggers::ManualScheduleTrigger({2, 3, 7}, "iteration");
      case 4: return triggers::ManualScheduleTrigger({0.4, 1.3}, "epoch");
      case 5: return triggers::MinValueTrigger("main/loss", {1 + pick(3), "iteration"});
      case 6: return triggers::MaxValueTrigger("main/accuracy", {1 + pick(3), "iteration"});
      default: return triggers::OnceTrigger();
    }
  }
  void add_extensions(Dtype dtype) {
    using namespace extensions;
    const auto no_time = [](json::Object& entry) {
      for (auto& [key, v] : entry)
        if (key == "elapsed_time") v = 0;
    };
    const auto wanted = [&](const char* name) {
      const bool yes = pick(3) == 0;
      if (yes) say(name);
      return yes;
    };
    for (int i = 0; i < 4; ++i)
      trainer->extend(
          [this, i](Trainer& t) {
            fired.push_back(text(t.updater().iteration(), ": ", i));
            if (i == 3) (void)random::randn({2});
          },
          {.name = text("recorded", i), .trigger = some_trigger()});
    if (wanted("Evaluator")) {
      test =
          std::make_unique<iterators::SerialIterator>(examples(dtype), 7, iterators::IteratorOptions{.repeat = false});
      trainer->extend(Evaluator(*test, *model), some_trigger());
    }
    if (wanted("LogReport")) trainer->extend(LogReport({.trigger = some_trigger(), .postprocess = no_time}));
    if (wanted("PrintReport"))
      trainer->extend(PrintReport(
          {"main/loss"}, LogReport({.trigger = some_trigger(), .postprocess = no_time, .log_name = {}}), quiet()));
    if (wanted("PlotReport")) trainer->extend(PlotReport({"main/loss"}, {.trigger = some_trigger()}));
    if (wanted("ParameterStatistics")) {
      ParameterStatistics::Options o;
      o.trigger = some_trigger();
      trainer->extend(ParameterStatistics({*model}, o), Trigger(1, "iteration"));
    }
    if (wanted("VariableStatisticsPlot"))
      trainer->extend(VariableStatisticsPlot(*model, {.max_sample_size = 3, .trigger = {4, "iteration"}}),
                      some_trigger());
    if (wanted("MicroAverage")) trainer->extend(MicroAverage("main/accuracy", "main/loss", "ratio", some_trigger()));
    if (wanted("observe_lr"))
      trainer->extend(observe_value("lr",
                                    [](Trainer& t) {
                                      const Optimizer& o = t.updater().get_optimizer("main");
                                      return dynamic_cast<const optimizers::Adam*>(&o) ? o.get("alpha")
                                                                                       : o.get(attr_of(o));
                                    }),
                      some_trigger());
    const std::string attr = attr_of(*optimizer);
    const double v = optimizer->get(attr);
    const bool warms_first = wanted("WarmupShift first");  // later schedules start from the value that it sets
    if (warms_first) trainer->extend(WarmupShift(attr, v / 4, 3, v), some_trigger());
    if (wanted("ExponentialShift")) trainer->extend(ExponentialShift(attr, .9), some_trigger());
    if (wanted("InverseShift")) trainer->extend(InverseShift(attr, .1, .5, {.init = v}), some_trigger());
    if (wanted("LinearShift")) trainer->extend(LinearShift(attr, {v, v / 2}, {1, 4}), some_trigger());
    if (wanted("MultistepShift")) trainer->extend(MultistepShift(attr, .9, {2, 4}, v), some_trigger());
    if (wanted("PolynomialShift")) trainer->extend(PolynomialShift(attr, 1, 20, {.init = v}), some_trigger());
    if (wanted("WarmupShift")) trainer->extend(WarmupShift(attr, v / 5, 4, v), some_trigger());
    if (wanted("CosineShift")) trainer->extend(CosineShift(attr, 12, {.init = v, .warmup = 2}), some_trigger());
    if (wanted("PolynomialDecay"))
      trainer->extend(PolynomialDecay(attr, 9, {.target = v / 9, .warmup = 3, .power = 2}), some_trigger());
    if (wanted("OneCycle")) trainer->extend(OneCycle(attr, v, 10), some_trigger());
    if (wanted("StepShift")) trainer->extend(StepShift(attr, .9, 2, {.init = v}), some_trigger());
    if (wanted("ProgressBar")) trainer->extend(ProgressBar({.update_interval = 2, .out = quiet()}));
  }
  static std::string attr_of(const Optimizer& o) {
    if (dynamic_cast<const optimizers::Adam*>(&o) || dynamic_cast<const optimizers::AdamW*>(&o)) return "alpha";
    return dynamic_cast<const optimizers::AdaDelta*>(&o) ? "rho" : "lr";
  }
  static std::FILE* quiet() {
    static std::FILE* const file = std::fopen("/dev/null", "w");
    return file;
  }
};

// Returns the differences between two snapshots.
std::string difference(const std::string& a, const std::string& b) {
  const zip::Reader x(a, "whole"), y(b, "resumed");
  std::string out;
  for (const std::string& name : x.names())
    if (!y.contains(name))
      out += " -" + name;
    else if (x.read(name) != y.read(name))
      out += " " + name;
  for (const std::string& name : y.names())
    if (!x.contains(name)) out += " +" + name;
  return out;
}

}  // namespace

TEST(training_that_is_cut_anywhere_goes_on_bit_for_bit) {
  const auto setting = [](const char* name, uint64_t otherwise) {
    const char* given = std::getenv(name);
    return given ? std::strtoull(given, nullptr, 10) : otherwise;
  };
  const uint64_t first = setting("CHAINER_TEST_SEED", 1), rounds = setting("CHAINER_TEST_ROUNDS", 30);
  int64_t resumed_runs = 0;
  for (uint64_t seed = first; seed < first + rounds; ++seed) {
    random::seed(static_cast<uint32_t>(seed));
    Combined whole(seed);
    whole.run();
    for (const auto& [cut, bytes] : whole.saved) {
      random::seed(12345);
      Combined resumed(seed, bytes);
      resumed.run();
      ++resumed_runs;
      std::string what;
      if (resumed.updater->iteration() != whole.updater->iteration())
        what =
            text("it ends after ", resumed.updater->iteration(), " iterations instead of ", whole.updater->iteration());
      for (const auto& [i, other] : resumed.saved)
        if (what.empty() && other != whole.saved[i])
          what = text("after iteration ", i, " these differ:", difference(whole.saved[i], other));
      std::vector<std::string> later;
      for (const std::string& f : whole.fired)
        if (std::stoll(f) > cut) later.push_back(f);
      if (what.empty() && later != resumed.fired) what = "other extensions ran";
      EXPECT(what.empty());
      if (what.empty()) continue;
      std::printf("  seed %llu (%s), cut after %lld: %s\n", static_cast<unsigned long long>(seed), whole.words.c_str(),
                  static_cast<long long>(cut), what.c_str());
      break;
    }
  }
  EXPECT(resumed_runs > static_cast<int64_t>(rounds));
}
