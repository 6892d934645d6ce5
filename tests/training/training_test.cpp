#include <chainer/chainer.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <set>

#include "chainer/core/file.h"
#include "chainer/core/json.h"
#include "chainer/routines/npy.h"
#include "test.h"

using namespace chainer;
using namespace chainer::training;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::temp_directory_path() / text("chainer-training-", ::getpid());
struct Clean {
  Clean() { fs::create_directories(folder); }
  ~Clean() { fs::remove_all(folder); }
} clean;
std::string out(const std::string& name) { return (folder / name).string(); }

// An updater that only counts.
struct Mock : Updater {
  explicit Mock(int64_t per_epoch = 10) : iterations_per_epoch(per_epoch) { optimizer.setup_link(link); }
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
  L::Linear link{2, 1};
  optimizers::SGD optimizer;
  int64_t iterations_per_epoch, n = 0;
};

std::vector<int64_t> firings(Trigger trigger, int64_t per_epoch = 10, int64_t until = 30) {
  Mock updater(per_epoch);
  Trainer trainer(updater, {until, "iteration"}, {.out = out("triggers")});
  std::vector<int64_t> fired;
  trainer.extend([&](Trainer& t) { fired.push_back(t.updater().iteration()); }, {.trigger = trigger});
  trainer.run();
  return fired;
}
using List = std::vector<int64_t>;

AnyDataset teacher_data(int64_t n) {
  random::RandomState r(7);
  Array x = r.rand({n, 784}, float32);
  x = where(x < 0.2, x * 5, zeros({}));
  return datasets::TupleDataset(x, argmax(matmul(x.astype(float64) - 0.1, r.randn({784, 10})), 1).astype(int32));
}

struct MLP : Chain {
  L::Linear l1, l2, l3;
  MLP(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_units), l3(n_out) {}
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::relu(l2(F::relu(l1(x))))); }
};

}  // namespace

TEST(triggers_fire_when_they_should) {
  EXPECT(firings({3, "iteration"}, 10, 10) == (List{3, 6, 9}));
  EXPECT(firings({1, "epoch"}) == (List{10, 20, 30}));
  EXPECT(firings({0.5, "epoch"}, 10, 10) == (List{5, 10}));
  EXPECT(firings(triggers::ManualScheduleTrigger({2, 5, 8}, "iteration")) == (List{2, 5, 8}));
  EXPECT(firings(triggers::ManualScheduleTrigger(1.5, "epoch")) == List{15});
  EXPECT(firings(triggers::OnceTrigger()) == List{1});
  EXPECT(firings([](Trainer& t) { return t.updater().iteration() == 4; }) == List{4});
  EXPECT(firings(triggers::MinValueTrigger("main/loss", {5, "iteration"}), 10, 20) == (List{5, 10, 15, 20}));
  EXPECT(firings(triggers::MaxValueTrigger("main/loss", {5, "iteration"}), 10, 20) == List{5});
  EXPECT_THROW(ValueError, "'iteration' or 'epoch'", Trigger(1, "hours"));
  EXPECT_THROW(ValueError, "must be positive", Trigger(0, "epoch"));
}

TEST(triggers_and_log_equal_the_releases) {
  const serializers::NpzFile f(TEST_DATA "../conformance/training.npz");
  const std::vector<double> values = f.array("trigger/values").to_vector<double>();
  const auto check = [&](const std::string& name, Trigger trigger) {
    Mock updater(7);
    Trainer trainer(updater, {1000, "iteration"}, {.out = out("release_triggers")});
    List fired;
    for (double v : values) {
      updater.update();
      trainer.observation.clear();
      trainer.observation.insert_or_assign("value", v);
      if (trigger(trainer)) fired.push_back(updater.iteration());
    }
    ++test::expectations;
    if (fired != f.array("trigger/" + name).to_vector<int64_t>())
      test::fail(__FILE__, __LINE__,
                 text(name, " fires at ", array(fired), ", the release's at ", f.array("trigger/" + name)));
  };
  check("interval_iteration", {3, "iteration"});
  check("interval_epoch", {2, "epoch"});
  check("interval_part", {0.4, "epoch"});
  check("manual_iteration", triggers::ManualScheduleTrigger({2, 5, 29}, "iteration"));
  check("manual_epoch", triggers::ManualScheduleTrigger({0.3, 1.2, 4}, "epoch"));
  check("max", triggers::MaxValueTrigger("value", {3, "iteration"}));
  check("min", triggers::MinValueTrigger("value", {1, "epoch"}));
  check("early",
        triggers::EarlyStoppingTrigger(
            {.check_trigger = {2, "iteration"}, .monitor = "value", .patients = 4, .max_trigger = {40, "iteration"}}));

  random::seed(1);
  L::Classifier model(MLP(8, 10));
  auto optimizer = optimizers::SGD({.lr = 0.1}).setup(model);
  iterators::SerialIterator it(teacher_data(200), 40);
  StandardUpdater updater(it, optimizer);
  Trainer trainer(updater, {4, "epoch"}, {.out = out("release_log")});
  trainer.extend(extensions::LogReport({.trigger = {3, "iteration"}}));
  trainer.extend(extensions::ExponentialShift("lr", 0.5), {.trigger = {1, "epoch"}});
  trainer.extend(extensions::observe_lr(), {.trigger = {1, "iteration"}});
  trainer.run();
  const json::Value log = json::parse(read_file(out("release_log") + "/log"));
  std::vector<double> rows;
  for (const json::Value& entry : *log.list())
    for (const char* key : {"epoch", "iteration", "main/loss", "main/accuracy", "lr"})
      rows.push_back(entry.find(key)->number());
  const Array expected = f.array("log");
  EXPECT_CLOSE(array(rows), expected.ravel(), {.atol = 1e-5});
}

TEST(early_stopping) {
  Mock updater;
  Trainer trainer(
      updater,
      triggers::EarlyStoppingTrigger(
          {.check_trigger = {1, "iteration"}, .monitor = "value", .patients = 3, .max_trigger = {50, "iteration"}}),
      {.out = out("early")});
  trainer.extend([](Trainer& t) {
    t.observation.insert_or_assign("value", std::abs(static_cast<double>(t.updater().iteration()) - 5));
  });
  trainer.run();
  EXPECT_EQ(updater.n, 8);
  EXPECT_THROW(ValueError, "mode", triggers::EarlyStoppingTrigger({.mode = "best"}));
}

TEST(schedules_meet_the_table) {
  const auto check = [](auto shift, std::vector<double> expected) {
    Mock updater;
    updater.optimizer.set("lr", 1);
    Trainer trainer(updater, {static_cast<int>(expected.size()), "iteration"}, {.out = out("shift")});
    std::vector<double> seen;
    trainer.extend(std::move(shift), {.name = "shift"});
    trainer.extend([&](Trainer& t) { seen.push_back(t.updater().get_optimizer("main").get("lr")); });
    trainer.run();
    EXPECT_CLOSE(array(seen), array(expected), {.atol = 0, .rtol = 1e-5});
  };
  using namespace extensions;
  check(ExponentialShift("lr", .5, {.target = .1}), {.5, .25, .125, .1, .1});
  check(InverseShift("lr", .1, .75), {.931012, .872196, .821377});
  check(LinearShift("lr", {1, .2}, {2, 6}), {1, 1, .8, .6, .4, .2});
  check(MultistepShift("lr", .1, {2, 4, 5}, 1), {1, .1, .1, .01, .001});
  check(PolynomialShift("lr", 2, 5), {.64, .36, .16, .04, 0});
  check(StepShift("lr", .1, 3), {1, 1, .1, .1, .1, .01});
  check(WarmupShift("lr", .1, 4, 1), {.325, .55, .775, 1, 1});
  EXPECT_THROW(ValueError, "negative rate", ExponentialShift("lr", -1));
  EXPECT_THROW(ValueError, "step must be 1 or more, not 0", StepShift("lr", .1, 0));
  EXPECT_THROW(ValueError, "max_count must be positive, not 0", PolynomialShift("lr", 2, 0));
  EXPECT_THROW(ValueError, "update_interval must be 1 or more, not 0", ProgressBar({.update_interval = 0}));
  EXPECT_THROW(ValueError, "bar_length must not be negative", ProgressBar({.bar_length = -1}));
}

TEST(extensions_are_named_ordered_and_finalized) {
  Mock updater;
  Trainer trainer(updater, {1, "iteration"}, {.out = out("order")});
  std::string order;
  trainer.extend([&](Trainer&) { order += "r"; }, {.name = "x"});
  trainer.extend([&](Trainer&) { order += "w"; }, {.name = "x", .priority = PRIORITY_WRITER});
  trainer.extend(make_extension([&](Trainer&) { order += "e"; }, {.default_name = "edit",
                                                                  .priority = PRIORITY_EDITOR,
                                                                  .finalizer = [&](Trainer&) { order += "."; },
                                                                  .initializer = [&](Trainer&) { order += "i"; }}));
  EXPECT_EQ(trainer.get_extension("x_1").name, "x_1");
  EXPECT_THROW(ValueError, "not found", trainer.get_extension("y"));
  EXPECT_THROW(ValueError, "reserved", trainer.extend([](Trainer&) {}, {.name = "training"}));
  EXPECT_THROW(RuntimeError, "has not been started", trainer.elapsed_time());
  trainer.run();
  EXPECT_EQ(order, "iwer.");
  EXPECT_THROW(RuntimeError, "multiple times", trainer.run());
}

TEST(an_exception_leaves_everything_finalized) {
  Mock updater;
  Trainer trainer(updater, {5, "iteration"}, {.out = out("exception")});
  bool finalized = false;
  trainer.extend(make_extension([](Trainer&) { throw ValueError("on purpose"); },
                                {.finalizer = [&](Trainer&) { finalized = true; }}));
  EXPECT_THROW(ValueError, "on purpose", trainer.run(false));
  EXPECT(finalized);
}

TEST(an_exception_in_finalize_is_reported_and_the_others_are_finalized) {
  int finalized = 0;
  const auto run = [&](bool loop_throws) {
    Mock updater;
    Trainer trainer(updater, {2, "iteration"}, {.out = out("finalize")});
    const auto bad = [&](Trainer&) {
      ++finalized;
      throw ValueError("in finalize");
    };
    trainer.extend(make_extension([&](Trainer&) {}, {.default_name = "first", .finalizer = bad}));
    trainer.extend(make_extension(
        [&](Trainer&) {
          if (loop_throws) throw KeyError("in the loop");
        },
        {.default_name = "second", .finalizer = bad}));
    trainer.run(false);
  };
  EXPECT_THROW(ValueError, "in finalize", run(false));
  EXPECT_EQ(finalized, 2);
  EXPECT_THROW(KeyError, "in the loop", run(true));  // the loop's is the cause
  EXPECT_EQ(finalized, 4);
}

TEST(log_print_and_plots) {
  Mock updater;
  Trainer trainer(updater, {3, "epoch"}, {.out = out("log")});
  trainer.extend(extensions::LogReport());
  std::FILE* file = std::tmpfile();
  trainer.extend(extensions::PrintReport({"epoch", "main/loss", "missing"}, "LogReport", file));
  trainer.extend(extensions::PlotReport({"main/loss"}, {.x_key = "epoch", .file_name = "loss.png"}));
  trainer.extend(extensions::PlotReport({"main/loss"}, {.file_name = "loss.svg"}), {.name = "svg"});
  trainer.extend(extensions::VariableStatisticsPlot(updater.link));
  trainer.extend(extensions::ParameterStatistics(updater.link));
  trainer.extend(extensions::observe_lr());
  trainer.run();
  const json::Value log = json::parse(read_file(folder / "log" / "log"));
  EXPECT_EQ(log.list()->size(), std::size_t(3));
  const json::Value& last = log.list()->back();
  double mean = 0;
  for (int i = 21; i <= 30; ++i) mean += 0.1 / i;
  EXPECT_CLOSE(array(last.find("main/loss")->number()), array(mean), {.rtol = 1e-12});
  EXPECT(last.find("epoch")->number() == 3 && last.find("iteration")->number() == 30 &&
         last.find("lr")->number() == 0.01);
  EXPECT(last.find("/W/data/percentile/3") && last.find("/b/data/zeros")->number() == 1);
  std::rewind(file);
  char line[200];
  EXPECT_EQ(std::string(std::fgets(line, sizeof line, file)), "epoch       main/loss   missing   \n");
  EXPECT_EQ(std::string(std::fgets(line, sizeof line, file)), "1           0.292897              \n");
  std::fclose(file);
  if (!plot::available()) return;
  EXPECT(read_file(folder / "log" / "loss.png").substr(1, 3) == "PNG" &&
         read_file(folder / "log" / "loss.svg").find("<svg") != std::string::npos);
  EXPECT(fs::exists(folder / "log" / "statistics.png"));
}

TEST(other_extensions) {
  Mock updater;
  Trainer trainer(updater, {10, "iteration"}, {.out = out("other")});
  trainer.extend([](Trainer& t) { t.observation.insert_or_assign("n", 2), t.observation.insert_or_assign("d", 4); },
                 {.priority = PRIORITY_WRITER});
  trainer.extend(extensions::MicroAverage("n", "d", "ratio", {5, "iteration"}));
  double ratio = 0;
  trainer.extend([&](Trainer& t) {
    if (const auto it = t.observation.find("ratio"); it != t.observation.end()) ratio = it->second.number();
  });
  trainer.extend(extensions::FailOnNonNumber());
  trainer.extend(extensions::ProgressBar({.update_interval = 2, .out = std::tmpfile()}));
  trainer.run();
  EXPECT_EQ(ratio, 0.5);
  Mock broken;
  broken.link.W.set_array(full({1, 2}, std::nan("")));
  Trainer failing(broken, {10, "iteration"}, {.out = out("other")});
  failing.extend(extensions::FailOnNonNumber());
  EXPECT_THROW(RuntimeError, "diverge: /W", failing.run(false));
}

TEST(evaluation_averages_batches) {
  random::seed(0);
  L::Classifier model(MLP(4, 10));
  iterators::SerialIterator test(teacher_data(5), 2, {.repeat = false, .shuffle = false});
  extensions::Evaluator evaluator(test, model);
  const auto result = evaluator.run();
  EXPECT(result.count("main/loss") && result.count("main/accuracy"));
  EXPECT_EQ(evaluator.run().at("main/loss"), result.at("main/loss"));
}

TEST(snapshots_resume_bit_for_bit) {
  const AnyDataset data = teacher_data(120);
  const auto run = [&](const std::string& name, int epochs, bool resume) {
    if (!resume) random::seed(4);
    L::Classifier model(MLP(6, 10));
    auto optimizer = optimizers::Adam().setup(model);
    iterators::SerialIterator train(data, 25), test(data, 25, {.repeat = false, .shuffle = false});
    StandardUpdater updater(train, optimizer);
    Trainer trainer(updater, {epochs, "epoch"}, {.out = out(name)});
    trainer.extend(extensions::Evaluator(test, model));
    trainer.extend(extensions::snapshot({.n_retains = 2, .autoload = resume}), {.trigger = {7, "iteration"}});
    trainer.extend(extensions::LogReport({.trigger = {1, "epoch"}}));
    trainer.extend(extensions::ExponentialShift("alpha", 0.9), {.trigger = {1, "epoch"}});
    trainer.extend([](Trainer&) { (void)random::randn({3}); });  // somebody else draws too
    trainer.run();
    json::Value log = json::parse(read_file(folder / name / "log"));
    for (json::Value& entry : *log.list()) entry.set("elapsed_time", 0);
    return std::pair(json::dump(log), model.params()[3].array());
  };
  const auto whole = run("whole", 6, false);
  (void)run("cut", 3, false);
  const auto resumed = run("cut", 6, true);
  EXPECT_EQ(resumed.first, whole.first);
  EXPECT(all(equal(resumed.second, whole.second)).item<bool>());
  std::size_t kept = 0;
  for (const auto& e : fs::directory_iterator(folder / "whole"))
    kept += e.path().filename().string().rfind("snapshot_iter_", 0) == 0;
  EXPECT_EQ(kept, std::size_t(2));
}

namespace {

// A trainer of a small model with everything that snapshots hold.
struct Run {
  L::Classifier model{MLP(6, 10)};
  optimizers::Adam optimizer;
  iterators::SerialIterator iterator;
  std::optional<StandardUpdater> updater;
  std::optional<Trainer> trainer;
  explicit Run(const std::string& name, int iterations = 5) : iterator(teacher_data(50), 10) {
    optimizer.setup(model);
    updater.emplace(iterator, optimizer);
    trainer.emplace(*updater, Trigger(iterations, "iteration"), training::TrainerOptions{.out = out(name)});
    trainer->extend(extensions::LogReport({.trigger = {1, "iteration"}}));
    trainer->extend(extensions::MultistepShift("alpha", 0.5, {2, 4}, 0.01), {.trigger = {1, "iteration"}});
  }
};
using Target = serializers::DictionarySerializer::Target;

Target members(const fs::path& file) {
  const serializers::NpzFile npz(file);
  Target out;
  for (const std::string& key : npz.keys()) {
    try {
      out[key] = npz.array(key);
    } catch (const TypeError&) {
      serializers::DictionarySerializer s;
      std::string value = npz.text(key);
      s.string(key, value);
      out[key] = s.target().at(key);
    }
  }
  return out;
}
std::string text_member(std::string value) {
  serializers::DictionarySerializer s;
  s.string("x", value);
  return std::get<std::string>(s.target().at("x"));
}

}  // namespace

TEST(a_newest_snapshot_that_does_not_fit_is_passed_over) {
  Run first("fallback");
  first.trainer->extend(extensions::snapshot(), {.trigger = {5, "iteration"}});
  first.trainer->run();
  const fs::path folder_of_run = out("fallback"), newest = folder_of_run / "snapshot_iter_9";
  const Target good = members(folder_of_run / "snapshot_iter_5");
  const std::string weights = "updater/model:main/predictor/l3/W", state = "updater/optimizer:main/predictor/l3/W/m";
  EXPECT(good.count(weights) && good.count(state) && good.count("extensions/MultistepShift/_current_step"));
  const auto with = [&](const std::string& key, std::optional<std::variant<Array, std::string>> value) {
    Target changed = good;
    if (value)
      changed[key] = *value;
    else
      changed.erase(key);
    return changed;
  };
  const std::vector<std::pair<const char*, Target>> damaged = {
      {"a missing key", with(weights, {})},
      {"weights of another shape", with(weights, zeros({3, 3}))},
      {"a state of another shape", with(state, zeros({3, 3}))},
      {"weights of another rank", with(weights, zeros({60}))},
      {"complex weights", with(weights, make_npy_header("<c8", {}) + "abcdefgh")},
      {"text for a number", with("updater/iteration", text_member("many"))},
      {"a number for text", with("extensions/LogReport/_log", zeros({}))},
      {"a log that is not JSON", with("extensions/LogReport/_log", text_member("[1,"))},
      {"a log that is no list", with("extensions/LogReport/_log", text_member("{}"))},
      {"a negative step", with("extensions/MultistepShift/_current_step", array(int64_t(-3)))},
      {"an iteration that overflows", with("updater/iteration", array(std::numeric_limits<int64_t>::max()))},
      {"a position outside of the data", with("updater/iterator:main/current_position", array(int64_t(51)))},
      {"an order of other examples", with("updater/iterator:main/order", arange(50) + 10)},
      {"a random state of another length", with("_random_state/key", zeros({3}, int64))},
  };
  for (const auto& [name, target] : damaged) {
    serializers::write_npz(newest, target);
    Run resumed("fallback", 8);
    const auto loaded = extensions::load_newest_snapshot(*resumed.trainer, folder_of_run);
    ++test::expectations;
    if (!loaded || loaded->filename() != "snapshot_iter_5" || resumed.updater->iteration() != 5)
      test::fail(__FILE__, __LINE__, text(name, ": snapshot_iter_5 was not loaded instead"));
    resumed.trainer->run();
    EXPECT_EQ(resumed.updater->iteration(), 8);
  }
  // Where no older one makes good what was loaded in part, the error is told.
  fs::remove(folder_of_run / "snapshot_iter_5");
  serializers::write_npz(newest, damaged[0].second);
  Run lost("fallback");
  EXPECT_THROW(KeyError, "there is no", extensions::load_newest_snapshot(*lost.trainer, folder_of_run));
  write_file(newest, "no zip archive");
  EXPECT(!extensions::load_newest_snapshot(*lost.trainer, folder_of_run));
}

TEST(snapshots_names_may_have_several_fields) {
  const std::string pattern = "at_{.updater.epoch:03}_{.updater.iteration}.npz";
  Run first("fields", 12);
  first.trainer->extend(extensions::snapshot({.filename = pattern, .n_retains = 2}), {.trigger = {2, "iteration"}});
  first.trainer->run();
  std::set<std::string> kept;
  for (const auto& e : fs::directory_iterator(out("fields"))) kept.insert(e.path().filename().string());
  EXPECT(kept == (std::set<std::string>{"at_002_10.npz", "at_002_12.npz", "log"}));
  Run resumed("fields", 14);
  const auto loaded = extensions::load_newest_snapshot(*resumed.trainer, out("fields"), pattern);
  EXPECT(loaded && loaded->filename() == "at_002_12.npz" && resumed.updater->iteration() == 12);
  // The number of a field ends where the text behind it begins, also where that begins with a point or a digit.
  for (const char* other : {"s{.updater.epoch_detail}.npz", "s{.updater.iteration}0", "{.updater.iteration:6}"}) {
    const fs::path file = fs::path(out("fields")) / resumed.trainer->format(other);
    fs::copy_file(*loaded, file);
    Run again("fields");
    EXPECT(extensions::load_newest_snapshot(*again.trainer, out("fields"), other) == file);
    fs::remove(file);
  }
}

TEST(temporary_files_of_ended_processes_are_removed) {
  const fs::path place = folder / "temporaries";
  fs::create_directories(place);
  const int child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const auto own = temporary_beside(place / "x");
  const auto file = [&](const std::string& name) {
    write_file(place / "made", "");
    fs::rename(place / "made", place / name);
    return place / name;
  };
  const auto orphan = file(text("tmp-", child, "-3-snapshot_iter_7")), mine = file(own.filename().string()),
             running = file(text("tmp-", ::getppid(), "-0-x")),
             predecessor = file(text("tmp-", ::getpid(), "-999999-x"));
  const auto foreign = {file("tmp-x"), file("tmp-12"), file("tmp-1-x"), file("temporary")};
  EXPECT_EQ(remove_orphaned_temporaries(place), 2);
  EXPECT(!fs::exists(orphan) && !fs::exists(predecessor) && fs::exists(mine) && fs::exists(running));
  for (const auto& f : foreign) EXPECT(fs::exists(f));
  EXPECT_EQ(remove_orphaned_temporaries(place / "not there"), 0);
}

TEST(a_link_that_moves_is_still_observed) {
  auto model = std::make_unique<L::Classifier>(MLP(6, 10));
  auto optimizer = optimizers::SGD().setup(*model);
  iterators::SerialIterator iterator(teacher_data(50), 10);
  StandardUpdater updater(iterator, optimizer);
  Trainer trainer(updater, {2, "iteration"}, {.out = out("moved")});
  trainer.extend(extensions::LogReport({.trigger = {1, "iteration"}}));
  auto moved = std::make_unique<L::Classifier>(std::move(*model));
  model.reset();
  trainer.run();
  EXPECT_EQ(moved->params().size(), std::size_t(6));
  const auto& log = dynamic_cast<extensions::LogReport&>(trainer.get_extension("LogReport")).log();
  EXPECT(log.size() == 2 && log[1].find("main/loss"));
  // What takes the place of a link that moved does not take its name.
  Reporter reporter;
  std::optional<L::Linear> place(std::in_place, 2, 1);
  reporter.add_observer("first", &*place);
  const L::Linear elsewhere(std::move(*place));
  place.emplace(2, 1);
  EXPECT_THROW(KeyError, "not added", reporter.report({{"x", 1}}, &*place));
  reporter.report({{"x", 1}}, &elsewhere);
  EXPECT(reporter.observation().count("first/x") == 1);
}

TEST(a_snapshot_of_the_release_goes_on_here) {
  random::seed(0);
  L::Classifier model(MLP(8, 10));
  auto optimizer = optimizers::MomentumSGD().setup(model);
  iterators::SerialIterator train(teacher_data(200), 50);
  StandardUpdater updater(train, optimizer);
  Trainer trainer(updater, {3, "epoch"}, {.out = out("release")});
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::snapshot());
  serializers::load_npz(TEST_DATA "release_snapshot.npz", trainer);
  EXPECT_EQ(updater.iteration(), 8);
  EXPECT_EQ(train.epoch(), 2);
  const auto& report = dynamic_cast<extensions::LogReport&>(trainer.get_extension("LogReport"));
  EXPECT_EQ(report.log().size(), std::size_t(2));
  trainer.run();
  EXPECT_EQ(updater.iteration(), 12);
  EXPECT_EQ(report.log().size(), std::size_t(3));
}

// Losses agree to rounding until some hidden unit's input comes within rounding of zero and its gate falls the other
// way; with 1000 units that happens within 200 iterations, in the release's own runs on another BLAS kernel too (see
// docs/architecture.md). So the first `strict` iterations meet 1e-4, the others a bound that a wrong formula breaks.
TEST(losses_equal_the_releases_for_200_iterations) {
  const serializers::NpzFile reference(TEST_DATA "losses.npz");
  const AnyDataset data = teacher_data(2000);
  const auto check = [&](const char* name, auto optimizer, int64_t units, int strict, double loose) {
    random::seed(0);
    iterators::SerialIterator train(data, 100);
    L::Classifier model(MLP(units, 10));
    optimizer.setup(model);
    const std::vector<double> expected = reference.array(name).to_vector<double>();
    double early = 0, late = 0;
    int i = 0;
    for (double e : expected) {
      auto [x, t] = concat_examples<2>(train.next());
      const Variable loss = model(x, t);
      model.cleargrads();
      loss.backward();
      optimizer.update();
      double& worst = i++ < strict ? early : late;
      worst = std::max(worst, std::abs(loss.item<double>() - e));
    }
    std::printf("  %s: %d iterations, largest difference %.2g in the first %d, %.2g after them\n", name, i, early,
                strict, late);
    EXPECT(early < 1e-4 && (late < loose || i == strict));
  };
  check("sgd", optimizers::SGD(), 1000, 200, 0);
  check("momentum_sgd", optimizers::MomentumSGD(), 1000, 60, 2e-3);
  check("adam_100", optimizers::Adam(), 100, 200, 0);
  check("adam_1000", optimizers::Adam(), 1000, 2, 3e-2);
}
