// SPDX-License-Identifier: MIT
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <limits>
#include <set>
#include <thread>

#include "chainer/core/system/file.h"
#include "chainer/core/json.h"
#include "chainer/routines/npy.h"
#include "small_run.h"
#include "test.h"

TEST(snapshots_resume_bit_for_bit) {
  const AnyDataset data = teacher_data(120);
  const auto run = [&](const std::string& name, int epochs, bool resume, bool background = false) {
    if (!resume) random::seed(4);
    L::Classifier model(MLP(6, 10));
    auto optimizer = optimizers::Adam().setup(model);
    iterators::SerialIterator train(data, 25), test(data, 25, {.repeat = false, .shuffle = false});
    StandardUpdater updater(train, optimizer);
    Trainer trainer(updater, {epochs, "epoch"}, {.out = out(name)});
    trainer.extend(extensions::Evaluator(test, model));
    trainer.extend(extensions::snapshot({.n_retains = 2, .autoload = resume, .background = background}),
                   {.trigger = {7, "iteration"}});
    trainer.extend(extensions::LogReport({.trigger = {1, "epoch"}}));
    trainer.extend(extensions::ExponentialShift("alpha", 0.9), {.trigger = {1, "epoch"}});
    trainer.extend([](Trainer&) { (void)random::randn({3}); });  // another extension draws random numbers
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
  const auto kept = [](const char* name) {
    std::size_t n = 0;
    for (const auto& e : fs::directory_iterator(folder / name))
      n += e.path().filename().string().rfind("snapshot_iter_", 0) == 0;
    return n;
  };
  EXPECT_EQ(kept("whole"), std::size_t(2));
  (void)run("behind", 3, false, true);
  EXPECT_EQ(kept("behind"), std::size_t(2));
  const auto behind = run("behind", 6, true, true);
  EXPECT_EQ(behind.first, whole.first);
  EXPECT(all(equal(behind.second, whole.second)).item<bool>());
}

namespace {

// A trainer of a small model with every kind of state that snapshots contain.
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
  // Without an older snapshot that overwrites a partial load, the error is thrown.
  fs::remove(folder_of_run / "snapshot_iter_5");
  serializers::write_npz(newest, damaged[0].second);
  Run lost("fallback");
  EXPECT_THROW(KeyError, "no entry named", extensions::load_newest_snapshot(*lost.trainer, folder_of_run));
  write_file(newest, "no zip archive");
  EXPECT(!extensions::load_newest_snapshot(*lost.trainer, folder_of_run));
}

TEST(the_run_that_began_last_has_the_newest_snapshots) {
  // The folder contains files of a longer, earlier run.
  Run longer("again", 12);
  longer.trainer->extend(extensions::snapshot(), {.trigger = {3, "iteration"}});
  longer.trainer->run();
  Run shorter("again", 6);
  shorter.trainer->extend(extensions::snapshot({.n_retains = 2}), {.trigger = {3, "iteration"}});
  shorter.trainer->run();
  Run resumed("again", 8);
  const auto loaded = extensions::load_newest_snapshot(*resumed.trainer, out("again"));
  EXPECT(loaded && loaded->filename() == "snapshot_iter_6");
  EXPECT(fs::exists(out("again") + "/snapshot_iter_3") && !fs::exists(out("again") + "/snapshot_iter_9"));
  // Copies have other modification times.
  shorter.trainer->take_snapshot();
  fs::last_write_time(out("again") + "/snapshot_iter_3", fs::file_time_type::clock::now() + std::chrono::hours(1));
  Run later("again", 8);
  EXPECT(extensions::load_newest_snapshot(*later.trainer, out("again"))->filename() == "snapshot_iter_6");
}

// The clock may be set back between a run and its continuation.
TEST(a_resumed_run_has_newer_snapshots_whatever_the_clock_says) {
  Run first("clock", 6);
  first.trainer->extend(extensions::snapshot(), {.trigger = {3, "iteration"}});
  first.trainer->run();
  const std::string file = out("clock") + "/snapshot_iter_6";
  Target later = members(file);
  later["_run_begun"] = array(1e12);
  serializers::write_npz(file, later);
  Run resumed("clock", 9);
  resumed.trainer->extend(extensions::snapshot({.n_retains = 2}), {.trigger = {3, "iteration"}});
  EXPECT(extensions::load_newest_snapshot(*resumed.trainer, out("clock")).has_value());
  resumed.trainer->run();
  Run again("clock", 12);
  EXPECT_EQ(extensions::load_newest_snapshot(*again.trainer, out("clock"))->filename().string(), "snapshot_iter_9");
  EXPECT(fs::exists(file));
}

TEST(a_snapshot_that_cannot_be_read_ends_the_run) {
  Run first("unreadable");
  first.trainer->extend(extensions::snapshot(), {.trigger = {4, "iteration"}});
  first.trainer->run();
  const fs::path newest = out("unreadable") + "/snapshot_iter_5";
  fs::create_symlink("snapshot_iter_5", newest);  // a link to itself, which cannot be opened
  Run resumed("unreadable");
  EXPECT_THROW(FileAccessError, "snapshot_iter_5: Too many levels of symbolic links",
               extensions::load_newest_snapshot(*resumed.trainer, out("unreadable")));
  fs::remove(newest);
  // Without free file descriptors, neither the folder nor a file can be read.
  rlimit before{}, none{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  none = before;
  none.rlim_cur = 0;
  ::setrlimit(RLIMIT_NOFILE, &none);
  std::string said;
  try {
    extensions::load_newest_snapshot(*resumed.trainer, out("unreadable"));
  } catch (const FileAccessError& e) { said = e.what(); }
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT(said.find("Too many open files") != std::string::npos);
  EXPECT(extensions::load_newest_snapshot(*resumed.trainer, out("unreadable"))->filename() == "snapshot_iter_4");
}

TEST(the_best_model_is_saved_before_the_trainer) {
  const auto run = [](int epochs, bool reversed) {
    L::Classifier model(MLP(6, 10));
    auto optimizer = optimizers::SGD(0.1).setup(model);
    iterators::SerialIterator train(teacher_data(40), 10),
        test(teacher_data(40), 10, {.repeat = false, .shuffle = false});
    StandardUpdater updater(train, optimizer);
    Trainer trainer(updater, {epochs, "epoch"}, {.out = out(text("best_first", reversed))});
    trainer.extend(extensions::Evaluator(test, model));
    // Runs before the snapshot that is last by default, and after one with its own priority.
    trainer.extend(extensions::snapshot({.autoload = true}),
                   reversed ? training::ExtendOptions{.priority = 50} : training::ExtendOptions());
    trainer.extend(extensions::snapshot_object(model, "best.npz"),
                   training::ExtendOptions{.trigger = triggers::MinValueTrigger("validation/main/loss")});
    trainer.run();
    return updater.epoch();
  };
  for (const bool reversed : {false, true}) {
    EXPECT_EQ(run(1, reversed), 1);
    EXPECT_EQ(run(3, reversed), 3);
  }
}

TEST(schedules_of_one_value_resume_from_its_first_value) {
  const auto run = [](const std::string& name, int iterations, bool resumes) {
    Run r(name, iterations);
    r.trainer->extend(extensions::WarmupShift("alpha", 0.002, 5, 0.01), {.trigger = {1, "iteration"}});
    r.trainer->extend(extensions::ExponentialShift("alpha", 0.5), {.trigger = {3, "iteration"}});
    r.trainer->extend(extensions::snapshot({.autoload = resumes}), {.trigger = {6, "iteration"}});
    r.trainer->run();
    return r.optimizer.get("alpha");
  };
  const double whole = run("shifts_whole", 10, false);
  (void)run("shifts_cut", 6, false);
  EXPECT_EQ(run("shifts_cut", 10, true), whole);
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
  // The number of a field ends where the following text begins, even if this begins with a point or a digit.
  for (const char* other : {"s{.updater.epoch_detail}.npz", "s{.updater.iteration}0", "{.updater.iteration:6}"}) {
    const fs::path file = fs::path(out("fields")) / resumed.trainer->format(other);
    fs::copy_file(*loaded, file);
    Run again("fields");
    EXPECT(extensions::load_newest_snapshot(*again.trainer, out("fields"), other) == file);
    fs::remove(file);
  }
}

TEST(snapshots_names_may_have_folders) {
  const auto kept = [](const std::string& name) {
    std::set<std::string> out_;
    for (const auto& e : fs::recursive_directory_iterator(out(name)))
      if (e.path().filename() != "log") out_.insert(fs::relative(e.path(), out(name)).string());
    return out_;
  };
  const std::vector<std::pair<std::string, std::set<std::string>>> cases = {
      {"snaps/s_{.updater.iteration}", {"snaps", "snaps/s_10", "snaps/s_12"}},
      {"a/./b/s_{.updater.iteration}.npz", {"a", "a/b", "a/b/s_10.npz", "a/b/s_12.npz"}},
      {"e{.updater.epoch:02}/at_{.updater.iteration}", {"e02", "e02/at_10", "e02/at_12"}},
      {"{.updater.iteration}/whole", {"10", "10/whole", "12", "12/whole"}}};
  int number = 0;
  for (const auto& [pattern, expected] : cases) {
    const std::string name = text("folders", number++);
    Run first(name, 12);
    first.trainer->extend(extensions::snapshot({.filename = pattern, .n_retains = 2}), {.trigger = {2, "iteration"}});
    first.trainer->run();
    EXPECT(kept(name) == expected);
    Run resumed(name, 14);
    resumed.trainer->extend(extensions::snapshot({.filename = pattern, .autoload = true}));
    resumed.trainer->extend(
        make_extension([](Trainer&) {}, {.initializer = [](Trainer& t) { EXPECT_EQ(t.updater().iteration(), 12); }}));
    resumed.trainer->run();
    EXPECT_EQ(resumed.updater->iteration(), 14);
  }
}

TEST(temporary_files_of_ended_processes_are_removed) {
  const fs::path place = folder / "temporaries";
  fs::create_directories(place);
  const auto file = [&](const std::string& name) {
    write_file(place / "made", "");
    fs::rename(place / "made", place / name);
    return place / name;
  };
  // Children that leave a temporary file: one ends; one waits at a pipe.
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const auto child = [&](const char* name, bool waits) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::close(ends[1]);
    write_file(place / name, temporary_next_to(place / "snapshot_iter_7").filename().string());
    char c;
    if (waits) (void)!::read(ends[0], &c, 1);
    ::_exit(0);
  };
  const pid_t ended = child("ended", false);
  ::waitpid(ended, nullptr, 0);
  const pid_t runs = child("runs", true);
  while (!fs::exists(place / "runs")) ::usleep(1000);
  const auto orphan = file(read_file(place / "ended")), running = file(read_file(place / "runs")),
             mine = file(temporary_next_to(place / "x").filename().string());
  // "tmp-<place>-<process>-<start>-<number>-": the same numbers in another place, and a reused process number.
  const std::string own = mine.filename().string(), rest = orphan.filename().string().substr(12);
  const auto elsewhere = file("tmp-" + std::string(own[4] == '0' ? "1" : "0") + own.substr(5, 7) + rest);
  const auto other_start = file(text(own.substr(0, 13), ::getpid(), "-1-0-x"));
  EXPECT_EQ(orphan.filename().string().substr(0, 13), own.substr(0, 13));
  const auto foreign = {file("tmp-x"),     file("tmp-12"),
                        file("tmp-1-x"),   file(text("tmp-", ended, "-3-x")),
                        file("temporary"), file("tmp-00000000-1-1-0-x")};
  EXPECT_EQ(remove_orphaned_temporaries(place), 2);
  EXPECT(!fs::exists(orphan) && !fs::exists(other_start));
  EXPECT(fs::exists(mine) && fs::exists(running) && fs::exists(elsewhere));
  for (const auto& f : foreign) EXPECT(fs::exists(f));
  EXPECT_EQ(remove_orphaned_temporaries(place / "not there"), 0);
  ::close(ends[1]);
  ::waitpid(runs, nullptr, 0);
  ::close(ends[0]);
  EXPECT_EQ(remove_orphaned_temporaries(place), 1);
}

TEST(a_snapshot_in_the_background_has_the_values_of_its_call) {
  Run run("background");
  L::Linear link(300, 1000);
  Array W = link.params()[0].array();
  auto snapshot = extensions::snapshot_object(link, "link_{.updater.iteration}", {.background = true});
  for (int i = 1; i <= 3; ++i) {
    W.fill(i);
    fs::remove(folder / "background" / "link_0");
    snapshot(*run.trainer);
    W.fill(-i);  // while the file is written
    snapshot.finalize();
    L::Linear loaded(300, 1000);
    serializers::load_npz(folder / "background" / "link_0", loaded);
    EXPECT(all(equal(loaded.params()[0].array(), full({}, i, float32))).item<bool>());
  }
  // A file that is complete when its path is returned.
  run.trainer->extend(extensions::snapshot({.background = true}));
  run.trainer->extend([](Trainer& t) { EXPECT(fs::exists(t.take_snapshot())); }, {.trigger = {2, "iteration"}});
  run.trainer->run();
}

TEST(errors_of_a_snapshot_in_the_background_are_thrown_later) {
  std::ofstream(folder / "a_file") << "x";
  const auto with = [](Run& run) {
    run.trainer->extend(extensions::snapshot({.filename = "../a_file/{.updater.iteration}", .background = true}),
                        {.trigger = {2, "iteration"}});
  };
  Run next("fails_next", 5);
  with(next);
  EXPECT_THROW(FileError, "a_file/2", next.trainer->run());
  EXPECT_EQ(next.updater->iteration(), 4);  // where the next snapshot begins
  Run last("fails_last", 3);
  with(last);
  EXPECT_THROW(FileError, "a_file/2", last.trainer->run());
  EXPECT_EQ(last.updater->iteration(), 3);
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

TEST(snapshots_of_objects_of_an_earlier_run_are_the_older_ones) {
  const auto run = [](int64_t iterations) {
    Run r("objects", iterations);
    L::Linear link(2, 2);
    r.trainer->extend(extensions::snapshot_object(link, "link_{.updater.iteration}", {.n_retains = 3}),
                      {.trigger = {4, "iteration"}});
    r.trainer->run();
    std::set<std::string> kept;
    for (const auto& e : fs::directory_iterator(out("objects"))) kept.insert(e.path().filename().string());
    kept.erase("log");
    return kept;
  };
  EXPECT(run(40) == (std::set<std::string>{"link_32", "link_36", "link_40"}));
  EXPECT(run(12) == (std::set<std::string>{"link_12", "link_4", "link_8"}));
}
