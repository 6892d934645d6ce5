// SPDX-License-Identifier: MIT
// Controlling a run by the file of commands, and damage of this file.
#include <chainer/core/system/file_lock.h>
#include <chainer/viewing/live/commands.h>

#include "captured_stderr.h"
#include "chainer/training/mock_updater.h"
#include "live_pages.h"
#include "test.h"

namespace live_pages {

// A run in which f requests commands at iterations.
struct CommandedRun {
  chainer::testing::MockUpdater updater{10};
  Trainer trainer;
  std::map<int64_t, double> rates;
  explicit CommandedRun(const std::string& name, int64_t iterations, std::function<void(int64_t)> f = {})
      : trainer(updater, {iterations, "iteration"}, {.out = out(name)}) {
    trainer.extend(
        [this, f](Trainer& t) {
          rates[t.updater().iteration()] = updater.optimizer.get("lr");
          if (!f) return;
          f(t.updater().iteration());
          pause_for(0.03);
        },
        ExtendOptions{.priority = PRIORITY_WRITER});
    trainer.extend(extensions::CommandsExtension());
  }
};
json::Value rate(double lr) { return json::Object{{"hyperparam", json::Object{{"lr", lr}}}}; }

}  // namespace live_pages
using namespace live_pages;

TEST(programs_obey_the_file_of_commands) {
  const std::string folder = out("commanded");
  CommandedRun run("commanded", 30, [&](int64_t i) {
    if (i == 2) live::request(folder, "adjust_hyperparams", rate(0.5), {}, "ann");
    if (i == 4)
      live::request(folder, "adjust_hyperparams", json::Object{{"hyperparam", json::Object{{"momentum", 1.0}}}}, {},
                    "bob");
    if (i == 4)
      live::request(folder, "adjust_hyperparams", rate(0.25), json::Object{{"key", "iteration"}, {"value", 8}}, "ann");
    if (i == 5)  // the second value is refused, so that the first one is not changed
      live::request(folder, "adjust_hyperparams",
                    json::Object{{"hyperparam", json::Object{{"lr", 0.125}, {"momentum", 1.0}}}}, {}, "bob");
    if (i == 10) live::request(folder, "take_snapshot", {}, {}, "ann");
    if (i == 12) live::request(folder, "stop", {}, {}, "ann");
  });
  run.trainer.run();
  EXPECT_EQ(run.rates[2], 0.01);
  EXPECT_EQ(run.rates[3], 0.5);
  EXPECT_EQ(run.rates[8], 0.5);
  EXPECT_EQ(run.rates[9], 0.25);
  EXPECT_EQ(run.updater.iteration(), 12);
  EXPECT(fs::exists(folder + "/snapshot_iter_10") && fs::exists(folder + "/snapshot_iter_12"));
  const json::List all = live::read_commands(folder);
  EXPECT_EQ(all.size(), 6u);
  const auto status = [&](std::size_t i) { return *all[i].find("response")->find("status")->string(); };
  EXPECT(status(0) == "SUCCESS" && status(1) == "FAILUE" && status(2) == "SUCCESS" && status(3) == "FAILUE" &&
         status(5) == "SUCCESS");
  EXPECT_EQ(all[2].find("response")->find("iteration")->number(), 8);
  EXPECT_EQ(json::dump(*all[0].find("response")->find("body")->find("before")), "{\"lr\": 0.01}");
  EXPECT(*all[0].find("request")->find("by")->string() == "ann");
  EXPECT(json::dump(all[1]).find("momentum") != std::string::npos);

  // It resumes at iteration 10 with the rate 0.25, regardless of the rate set by the program.
  CommandedRun again("commanded", 14);
  serializers::load_npz(folder + "/snapshot_iter_10", again.trainer);
  again.trainer.run();
  EXPECT_EQ(again.rates[11], 0.25);
}

TEST(resumed_runs_repeat_changes) {
  const std::string folder = out("repeated");
  {
    CommandedRun run("repeated", 20, [&](int64_t i) {
      if (i == 5) live::request(folder, "take_snapshot", {}, {}, "ann");
      if (i == 9) live::request(folder, "adjust_hyperparams", rate(0.5), {}, "ann");
    });
    run.trainer.run();
    EXPECT_EQ(run.rates[10], 0.5);
  }
  CommandedRun again("repeated", 20);
  serializers::load_npz(folder + "/snapshot_iter_5", again.trainer);
  again.trainer.run();
  EXPECT_EQ(again.rates[9], 0.01);
  EXPECT_EQ(again.rates[10], 0.5);
  // A new run removes the requests of an old one.
  CommandedRun anew("repeated", 12);
  anew.trainer.run();
  EXPECT_EQ(anew.rates[12], 0.01);
}

// Two changes, the first requested of which is scheduled last. The run is stopped after both, resumed, stopped again
// between them, and resumed from there.
TEST(cut_runs_repeat_changes_that_waited) {
  const auto ask = [](const std::string& folder, double lr, int64_t at) {
    live::request(folder, "adjust_hyperparams", rate(lr), json::Object{{"key", "iteration"}, {"value", at}}, "ann");
  };
  const auto asked = [&](const std::string& folder) {
    return [&ask, folder](int64_t i) {
      if (i == 1) ask(folder, 0.001, 20), ask(folder, 0.05, 8);
    };
  };
  CommandedRun whole("waited", 30, asked(out("waited")));
  whole.trainer.run();
  EXPECT_EQ(whole.rates[9], 0.05);
  EXPECT_EQ(whole.rates[21], 0.001);
  const std::string folder = out("waited_cut");
  const auto cut = [&](int64_t from, int64_t to, std::function<void(int64_t)> f) {
    CommandedRun run("waited_cut", to, std::move(f));
    run.trainer.extend(extensions::snapshot(), {.trigger = {1, "iteration"}});
    if (from) serializers::load_npz(text(folder, "/snapshot_iter_", from), run.trainer);
    run.trainer.run();
    for (int64_t i = from + 1; i <= to; ++i) EXPECT_EQ(run.rates[i], whole.rates[i]);
  };
  cut(0, 22, asked(folder));
  cut(12, 15, {});
  cut(15, 30, {});
  cut(8, 10, {});
  cut(10, 30, {});
}

TEST(requests_whose_time_has_passed_are_answered) {
  const std::string folder = out("passed");
  CommandedRun run("passed", 8, [&](int64_t i) {
    if (i == 4)
      live::request(folder, "adjust_hyperparams", rate(0.5), json::Object{{"key", "iteration"}, {"value", 2}}, "ann");
  });
  run.trainer.run();
  EXPECT_EQ(run.rates[8], 0.01);
  const json::Value answered = live::read_commands(folder).at(0);
  EXPECT(json::dump(answered).find("is invalid or in the past") != std::string::npos);
}

TEST(a_lock_of_another_process_does_not_hold_the_run) {
  const std::string folder = out("locked");
  std::optional<FileLock> held;
  const auto begin = std::chrono::steady_clock::now();
  CommandedRun run("locked", 12, [&](int64_t i) {
    if (i == 2) {
      live::request(folder, "adjust_hyperparams", rate(0.5), {}, "ann");
      held.emplace(folder + "/commands.lock", "the test's file");
    }
    if (i == 6) held.reset();
  });
  run.trainer.run();
  EXPECT(std::chrono::steady_clock::now() - begin < std::chrono::seconds(8));
  EXPECT_EQ(run.rates[4], 0.5);
  EXPECT_EQ(json::dump(*live::read_commands(folder).at(0).find("response")->find("status")), "\"SUCCESS\"");
  FileLock other(folder + "/commands.lock", "the test's file");
  EXPECT_THROW(FileError, "another process holds", FileLock(folder + "/commands.lock", "it", 0.1));
}

TEST(paused_runs_go_on) {
  const std::string folder = out("paused");
  std::thread waker;
  const auto begin = std::chrono::steady_clock::now();
  CommandedRun run("paused", 6, [&](int64_t i) {
    if (i != 2) return;
    live::request(folder, "pause", {}, {}, "ann");
    waker = std::thread([&] {
      pause_for(0.5);
      live::request(folder, "adjust_hyperparams", rate(0.5), {}, "ann");
      live::request(folder, "resume", {}, {}, "ann");
    });
  });
  run.trainer.run();
  waker.join();
  EXPECT(std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(500));
  EXPECT_EQ(run.updater.iteration(), 6);
  EXPECT_EQ(run.rates[3], 0.5);
}

TEST(names_of_requesters_are_printed_without_control_characters) {
  CommandedRun run("escapes", 8, [&](int64_t i) {
    for (const char* name : {"adjust_hyperparams", "pause", "resume"})
      if (i == 2) live::request(out("escapes"), name, rate(0.5), {}, "ann\x1b[2J\xc2\x9b\niteration 9: done");
    if (i == 2) live::request(out("escapes"), "adjust_hyperparams", {}, {}, "ann\x1b[2J");
  });
  const test::CapturedStderr captured(out("escapes.txt"));
  run.trainer.run();
  const std::string told = captured.text();
  EXPECT(told.find("ann\\x1b[2J\\xc2\\x9b iteration 9") != told.npos && told.find("a command from ann") != told.npos);
  EXPECT(told.find('\x1b') == told.npos && told.find("\xc2\x9b") == told.npos);
}

TEST(commands_are_not_read_through_links) {
  const std::string folder = out("linked_commands");
  fs::create_directories(folder);
  write_file(out("elsewhere"), "[{\"secret\": 1}]");
  fs::create_symlink(out("elsewhere"), folder + "/commands");
  EXPECT_THROW(FileError, "contains a symbolic link", live::request(folder, "stop", {}, {}, "ann"));
  EXPECT(fs::is_symlink(folder + "/commands"));
}

TEST(damaged_commands_are_told) {
  fs::create_directories(out("damaged"));
  write_file(out("damaged") + "/commands", "[1, 2]");
  EXPECT_THROW(ValueError, "is not a list of commands", live::read_commands(out("damaged")));
  EXPECT_THROW(ValueError, "no command named 'explode'", live::request(out("damaged"), "explode", {}, {}, ""));
  EXPECT_THROW(ValueError, "a schedule must be",
               live::request(out("damaged"), "stop", {}, json::Object{{"key", "hour"}}, ""));
  CommandedRun run("damaged", 10, [&](int64_t i) {
    if (i == 2) write_file(out("damaged") + "/commands", "[{\"name\": \"stop\", \"requ");
  });
  run.trainer.run();  // warns
  EXPECT_EQ(run.updater.iteration(), 10);
}

TEST(commands_change_all_values_or_none) {
  const std::string folder = out("refused");
  struct WithMomentum : chainer::testing::MockUpdater {
    WithMomentum() { method.setup_link(link); }
    Optimizer& get_optimizer(const std::string&) const override { return const_cast<optimizers::MomentumSGD&>(method); }
    optimizers::MomentumSGD method;
  } updater;
  Trainer trainer(updater, {6, "iteration"}, {.out = folder});
  trainer.extend(
      [&](Trainer& t) {
        if (t.updater().iteration() == 2)
          live::request(folder, "adjust_hyperparams",
                        json::Object{{"hyperparam", json::Object{{"momentum", 0.25}, {"lr", -0.1}}}}, {}, "ann");
        pause_for(0.03);
      },
      ExtendOptions{.priority = PRIORITY_WRITER});
  trainer.extend(extensions::CommandsExtension());
  trainer.run();
  const json::List all = live::read_commands(folder);
  EXPECT(all.size() == 1 && *all[0].find("response")->find("status")->string() == "FAILUE");
  EXPECT_EQ(updater.method.get("momentum"), 0.9);
  EXPECT_EQ(updater.method.get("lr"), 0.01);
}
