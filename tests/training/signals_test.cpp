// SPDX-License-Identifier: MIT
// Ctrl-C, SIGTERM and SIGHUP during a run, each in its own process.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "chainer/core/system/file.h"
#include "chainer/core/system/signals.h"
#include "small_run.h"
#include "test.h"

namespace {

struct Ended {
  int status;
  std::string said;
};

// Runs f in a child, whose standard error goes to a file.
template <class F>
Ended in_child(F&& f) {
  const std::string log = out("signals.txt");
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!std::freopen(log.c_str(), "w", stderr)) ::_exit(3);
    try {
      f();
    } catch (...) { ::_exit(2); }
    ::_exit(0);
  }
  int status = -1;
  if (pid > 0) ::waitpid(pid, &status, 0);
  return {status, read_file(log)};
}

struct SignalRun {
  L::Classifier model{MLP(4, 10)};
  optimizers::SGD optimizer{0.1};
  iterators::SerialIterator it{teacher_data(40), 10};
  StandardUpdater updater{it, optimizer.setup(model)};
  Trainer trainer;
  explicit SignalRun(const std::string& name, bool handle_signals = true)
      : trainer(updater, {8, "iteration"}, {.out = out(name), .handle_signals = handle_signals}) {}
  void signal_at(int64_t iteration, int signal, int times = 1) {
    trainer.extend([=](Trainer& t) {
      for (int i = 0; i < times && t.updater().iteration() == iteration; ++i) ::raise(signal);
    });
  }
};

}  // namespace

TEST(the_first_signal_ends_behind_the_iteration_with_a_snapshot) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string name = text("signal", signal);
    const Ended ended = in_child([&] {
      SignalRun run(name);
      run.signal_at(3, signal);
      run.trainer.extend(make_extension(
          [](Trainer&) {}, {.finalizer = [&](Trainer&) { std::ofstream(out(name + ".finalized")) << "yes"; }}));
      run.trainer.run(false);
    });
    EXPECT(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == signal);
    EXPECT(fs::exists(out(name + ".finalized")));
    const std::string file = out(name) + "/snapshot_iter_3";
    EXPECT(fs::exists(file) && !fs::exists(out(name) + "/snapshot_iter_4"));
    EXPECT(ended.said.find("a second signal ends the program immediately") != std::string::npos);
    EXPECT(ended.said.find(text(signal_name(signal), ": the run ended after iteration 3")) != std::string::npos);
    EXPECT(ended.said.find(text("serializers::load_npz(\"", file, "\", trainer)")) != std::string::npos);
    SignalRun resumed(name + "resumed");
    serializers::load_npz(file, resumed.trainer);
    EXPECT_EQ(resumed.updater.iteration(), 3);
    resumed.trainer.run(false);
    EXPECT_EQ(resumed.updater.iteration(), 8);
  }
}

// Batch systems send the signal to all processes of the job.
TEST(a_signal_to_the_whole_group_leaves_workers_at_work) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const std::string name = text("group", signal);
    const Ended ended = in_child([&] {
      ::setpgid(0, 0);
      L::Classifier model(MLP(4, 10));
      auto optimizer = optimizers::SGD(0.1).setup(model);
      iterators::MultiprocessIterator it(teacher_data(40), 10, {.n_processes = 2});
      StandardUpdater updater(it, optimizer);
      Trainer trainer(updater, {40, "iteration"}, {.out = out(name)});
      trainer.extend([=](Trainer& t) {
        if (t.updater().iteration() == 3) ::kill(0, signal);
        if (t.updater().iteration() == 3) ::usleep(50000);
      });
      trainer.run(false);
    });
    EXPECT(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == signal);
    EXPECT(fs::exists(out(name) + "/snapshot_iter_3"));
    EXPECT(ended.said.find("killed by signal") == std::string::npos);
  }
}

TEST(a_terminal_that_is_closed_may_say_so_twice) {
  const Ended ended = in_child([&] {
    SignalRun run("hangup");
    run.signal_at(2, SIGHUP, 2);
    run.trainer.run(false);
  });
  EXPECT(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGHUP);
  EXPECT(fs::exists(out("hangup") + "/snapshot_iter_2"));
}

TEST(an_interrupted_run_uses_the_trainers_own_snapshot) {
  const Ended ended = in_child([&] {
    SignalRun run("own_snapshot");
    run.signal_at(5, SIGINT);
    run.trainer.extend(extensions::snapshot({.filename = "mine_{.updater.iteration}"}), {100, "iteration"});
    run.trainer.run(false);
  });
  EXPECT(WIFSIGNALED(ended.status) && fs::exists(out("own_snapshot") + "/mine_5"));
  EXPECT(!fs::exists(out("own_snapshot") + "/snapshot_iter_5"));
}

TEST(an_interrupted_run_leaves_the_best_snapshot_alone) {
  const Ended ended = in_child([&] {
    SignalRun run("best_snapshot");
    run.signal_at(5, SIGINT);
    run.trainer.extend(extensions::snapshot({.filename = "best"}), {.trigger = triggers::OnceTrigger()});
    run.trainer.run(false);
  });
  EXPECT(WIFSIGNALED(ended.status) && fs::exists(out("best_snapshot") + "/snapshot_iter_5"));
  SignalRun best("best_resumed");
  serializers::load_npz(out("best_snapshot") + "/best", best.trainer);
  EXPECT_EQ(best.updater.iteration(), 1);
  // A snapshot that is overwritten under one name can be resumed from.
  const Ended newest = in_child([&] {
    SignalRun run("one_name");
    run.signal_at(5, SIGINT);
    run.trainer.extend(extensions::snapshot({.filename = "newest"}), {2, "iteration"});
    run.trainer.run(false);
  });
  EXPECT(WIFSIGNALED(newest.status) && !fs::exists(out("one_name") + "/snapshot_iter_5"));
  SignalRun resumed("one_name_resumed");
  serializers::load_npz(out("one_name") + "/newest", resumed.trainer);
  EXPECT_EQ(resumed.updater.iteration(), 5);
}

TEST(a_signal_behind_the_last_iteration_ends_the_program_too) {
  const Ended ended = in_child([&] {
    SignalRun run("last");
    run.trainer.extend(make_extension([](Trainer&) {}, {.finalizer = [](Trainer&) { ::raise(SIGTERM); }}));
    run.trainer.run(false);
  });
  EXPECT(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGTERM);
}

TEST(a_second_signal_ends_at_once) {
  const Ended ended = in_child([&] {
    SignalRun run("twice");
    run.signal_at(2, SIGINT, 2);
    run.trainer.run(false);
  });
  EXPECT(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGINT);
  EXPECT(!fs::exists(out("twice") + "/snapshot_iter_2"));
}

TEST(signals_of_the_program_are_left_alone) {
  const auto whole = [](const std::string& name, auto setting) {
    return in_child([&] {
      std::signal(SIGINT, setting);
      SignalRun run(name);
      run.signal_at(2, SIGINT);
      run.trainer.run(false);
      if (run.updater.iteration() != 8 || std::signal(SIGINT, SIG_DFL) != setting) ::_exit(4);
    });
  };
  EXPECT_EQ(whole("ignored", SIG_IGN).status, 0);
  EXPECT_EQ(whole(
                "handled", +[](int) {})
                .status,
            0);
  const Ended off = in_child([&] {
    SignalRun run("off", false);
    run.signal_at(2, SIGINT);
    run.trainer.run(false);
  });
  EXPECT(WIFSIGNALED(off.status) && !fs::exists(out("off") + "/snapshot_iter_2"));
  // After a run, the default handlers are restored.
  const Ended after = in_child([&] {
    SignalRun run("after");
    run.trainer.run(false);
    ::raise(SIGTERM);
  });
  EXPECT(WIFSIGNALED(after.status) && WTERMSIG(after.status) == SIGTERM);
  // A child process of the run ends when it receives the signal.
  const Ended child = in_child([&] {
    SignalRun run("child");
    run.trainer.extend([](Trainer& t) {
      if (t.updater().iteration() != 1) return;
      const pid_t pid = ::fork();
      if (pid == 0)
        for (;;) ::pause();
      if (pid < 0) ::_exit(6);
      ::kill(pid, SIGTERM);
      int status = 0;
      ::waitpid(pid, &status, 0);
      if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM) ::_exit(5);
    });
    run.trainer.run(false);
  });
  EXPECT_EQ(child.status, 0);
}

// A signal may arrive inside of a oneDNN kernel, where the stack pointer points into the heap.
TEST(the_handler_has_a_stack_of_its_own) {
  bool on_own_stack = false;
  SignalRun run("own_stack");
  run.trainer.extend([&](Trainer&) {
    struct sigaction set {};
    stack_t stack{};
    on_own_stack = ::sigaction(SIGTERM, nullptr, &set) == 0 && (set.sa_flags & SA_ONSTACK) &&
                   ::sigaltstack(nullptr, &stack) == 0 && !(stack.ss_flags & SS_DISABLE);
  });
  run.trainer.run(false);
  EXPECT(on_own_stack);
}

TEST(stop_ends_the_loop_and_run_returns) {
  SignalRun run("stop");
  run.trainer.extend([](Trainer& t) {
    if (t.updater().iteration() == 3) t.stop();
  });
  run.trainer.run(false);
  EXPECT_EQ(run.updater.iteration(), 3);
}
