// SPDX-License-Identifier: MIT
// What a run reports of its progress, and what pages make of it: states, values of each iteration, colors.
#include <chainer/core/system/file.h>
#include <chainer/core/system/process.h>
#include <chainer/viewing/live/commands.h>
#include <chainer/viewing/live/progress.h>
#include <chainer/viewing/live/results.h>
#include <chainer/viewing/plot/figure.h>
#include <chainer/viewing/plot/matrix.h>
#include <chainer/viewing/report/run.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "chainer/training/mock_updater.h"
#include "small_run.h"
#include "test.h"

namespace progress_files {

json::Value progress_of(const std::string& name) { return json::parse(read_file(out(name) + "/progress")); }
std::string text_of(const json::Value& v, const char* name) { return *v.find(name)->string(); }
double number_of(const json::Value& v, const char* name) { return v.find(name)->number(); }
std::string state_in(const std::string& folder) { return text_of(live::Results(folder).runs().at(0), "state"); }

// A run of the mock updater, which reports main/loss = 1 / iteration and a value on no axis.
struct ReportingRun {
  chainer::testing::MockUpdater updater{10};
  Trainer trainer;
  ReportingRun(const std::string& name, Trigger stop, std::function<void(Trainer&)> f = {})
      : trainer(updater, std::move(stop), {.out = out(name)}) {
    trainer.extend(
        [f](Trainer& t) {
          const auto i = static_cast<double>(t.updater().iteration());
          t.observation.insert_or_assign("main/loss", 1 / i);
          t.observation.insert_or_assign("main/word", "text");
          if (f) f(t);
        },
        ExtendOptions{.priority = PRIORITY_EDITOR});
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::CommandsExtension());
  }
};

// The tag of a process that has ended.
std::string ended_tag() {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string tag = process_tag() + "-";
    (void)!::write(ends[1], tag.data(), tag.size());
    ::_exit(0);
  }
  char tag[200];
  const ssize_t n = ::read(ends[0], tag, sizeof tag);
  ::close(ends[0]), ::close(ends[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return std::string(tag, static_cast<std::size_t>(n));
}

}  // namespace progress_files
using namespace progress_files;

TEST(runs_report_their_progress_and_end) {
  const std::string folder = out("progressing");
  std::string first;
  ReportingRun run("progressing", {20, "iteration"}, [&](Trainer& t) {
    if (t.updater().iteration() == 1) first = text_of(progress_of("progressing"), "state") + state_in(folder);
  });
  run.trainer.run();
  EXPECT_EQ(first, "runningrunning");  // before the log has an entry
  const json::Value p = progress_of("progressing");
  EXPECT_EQ(text_of(p, "state"), "finished");
  EXPECT_EQ(text_of(p, "unit"), "iteration");
  EXPECT(number_of(p, "iteration") == 20 && number_of(p, "length") == 20 && number_of(p, "epoch") == 2);
  EXPECT(number_of(p, "memory") > 1e6 && number_of(p, "rate") > 0 && number_of(p, "processor") >= 0);
  EXPECT_EQ(state_in(folder), "finished");
  // Browsers get the numbers, and nothing of the process.
  const json::Value shown = live::Results(folder).runs().at(0);
  EXPECT_EQ(number_of(*shown.find("progress"), "left"), 0);
  EXPECT(json::dump(shown).find("process\"") == std::string::npos);

  ReportingRun stopped("stopping", {20, "iteration"}, [](Trainer& t) {
    if (t.updater().iteration() == 5) t.stop();
  });
  stopped.trainer.run();
  EXPECT_EQ(state_in(out("stopping")), "stopped");
  ReportingRun failing("failing", {20, "iteration"}, [](Trainer& t) {
    if (t.updater().iteration() == 5) throw RuntimeError("the test's error");
  });
  EXPECT_THROW(RuntimeError, "the test's error", failing.trainer.run(false));
  EXPECT_EQ(state_in(out("failing")), "failed");
  EXPECT_EQ(number_of(progress_of("failing"), "iteration"), 5);
}

TEST(paused_runs_say_so) {
  std::string state, later;
  std::thread waker;
  ReportingRun run("pausing", {10, "iteration"}, [&](Trainer& t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    if (t.updater().iteration() != 2) return;
    live::request(t.out(), "pause", {}, {}, "ann");
    waker = std::thread([&] {
      for (int i = 0; i < 100 && state != "paused"; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        state = state_in(out("pausing"));
      }
      live::request(out("pausing"), "resume", {}, {}, "ann");
      for (int i = 0; i < 200 && later != "running" && later != "finished"; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        later = state_in(out("pausing"));
      }
    });
  });
  run.trainer.run();
  waker.join();
  EXPECT_EQ(state, "paused");
  EXPECT(later == "running" || later == "finished");
}

TEST(states_are_those_of_the_process) {
  const auto told = [](const char* state, const std::string& process, double age, double log_age) {
    return live::state_of(json::Object{{"state", state}, {"process", process}, {"interval", 1.0}}, age, log_age);
  };
  const std::string here = process_tag() + "-", gone = ended_tag(), elsewhere = "12345678-1-1-";
  EXPECT_EQ(told("running", here, 1000, 1000), "running");  // a long iteration
  EXPECT_EQ(told("paused", here, 1, 1), "paused");
  EXPECT_EQ(told("running", gone, 1, 1), "failed");
  EXPECT_EQ(told("paused", gone, 1, 1), "failed");
  EXPECT_EQ(told("running", elsewhere, 3, 100), "running");
  EXPECT_EQ(told("running", elsewhere, 60, 100), "idle");
  EXPECT_EQ(told("finished", gone, 100, 101), "finished");
  // The log is that of a later run, which reports nothing.
  EXPECT_EQ(told("finished", gone, 100, 1), "");
  EXPECT_EQ(told("running", gone, 100, 1), "");
  EXPECT_EQ(told("nonsense", here, 1, 1), "");
  EXPECT_EQ(live::state_of(json::Value(), 1, 1), "");
  EXPECT_EQ(live::state_of(json::List{1, 2}, 1, 1), "");
  EXPECT_EQ(
      json::dump(live::numbers_of(json::Object{{"iteration", "<b>"}, {"unit", "<b>"}, {"left", 3.0}})).find("<b>"),
      std::string::npos);
}

TEST(runs_of_few_epochs_have_the_values_of_each_iteration) {
  const std::string folder = out("few");
  {
    ReportingRun run("few", {2, "epoch"});
    run.trainer.extend(extensions::snapshot(), {.trigger = {1, "epoch"}});
    run.trainer.run();
  }
  auto curves = live::read_curves(folder);
  EXPECT(curves.size() == 1 && curves["main/loss"].x.size() == 20);
  EXPECT(curves["main/loss"].x[4] == 5 && curves["main/loss"].y[4] == 0.2);
  const run_report::Run read = run_report::read_run(folder);
  EXPECT_EQ(read.curves.at(0).x.size(), 2u);
  EXPECT_EQ(read.each.at(0).x.size(), 20u);
  EXPECT(run_report::page({read}).find("\"x\":[1,2,3,4,") != std::string::npos);
  EXPECT_EQ(json::dump(*live::Results(folder).curves(".").find("main/loss")->find("x")).substr(0, 8), "[1.0, 2.");
  // A resumed run continues the curves from its snapshot on, once each.
  {
    ReportingRun again("few", {3, "epoch"});
    serializers::load_npz(folder + "/snapshot_iter_10", again.trainer);
    again.trainer.run();
  }
  curves = live::read_curves(folder);
  EXPECT(curves["main/loss"].x.size() == 30 && curves["main/loss"].x[15] == 16);
  // From the fourth epoch on the log suffices.
  ReportingRun longer("few", {5, "epoch"});
  longer.trainer.run();
  EXPECT(!fs::exists(folder + "/curves") && live::read_curves(folder).empty());
  write_file(folder + "/curves", "{\"a\": {\"x\": [1, 2], \"y\": [1]}, \"b\": 3, \"c\": {\"x\": [1], \"y\": [null]}}");
  EXPECT_EQ(live::read_curves(folder).size(), 1u);
  write_file(folder + "/curves", "{\"a\":");
  EXPECT(live::read_curves(folder).empty());
}

TEST(runs_without_a_log_yet_are_shown) {
  const std::string folder = out("unlogged");
  fs::create_directories(folder + "/one");
  write_file(folder + "/one/progress",
             json::dump(json::Object{{"state", "running"}, {"process", process_tag() + "-"}}));
  live::Results results(folder);
  EXPECT_EQ(text_of(results.runs().at(0), "state"), "running");
  EXPECT_EQ(results.log("one", 0, 1000).total, 0u);
  fs::create_directories(folder + "/two");
  fs::create_symlink(folder + "/one/progress", folder + "/two/progress");  // is not followed
  EXPECT_EQ(results.runs().size(), 1u);
  fs::create_symlink(folder + "/one/progress", folder + "/one/curves");
  EXPECT(std::holds_alternative<std::nullptr_t>(results.curves("one").data) &&
         live::read_curves(folder + "/one").empty());
}

TEST(runs_have_the_same_color_everywhere) {
  const std::size_t color = plot::run_color("somewhere/exp3");
  EXPECT_EQ(plot::run_color("/else/where/exp3/"), color);
  EXPECT_EQ(plot::run_color("/else/exp3/result"), color);  // the default name says nothing
  std::vector<fs::path> all;
  for (int i = 0; i < 8; ++i) all.emplace_back(text("run", i));
  const auto colors = plot::run_colors(all);
  EXPECT_EQ((std::set<std::size_t>(colors.begin(), colors.end()).size()), 8u);
  EXPECT(plot::run_colors({all[5]}) == std::vector<std::size_t>{plot::run_color(all[5])});
  EXPECT(plot::run_colors({all[1], all[0]}) ==
         (std::vector<std::size_t>{plot::run_colors({all[0], all[1]})[1], plot::run_color(all[0])}));
  // The page, the report of one run and of several, and PlotReport.
  const std::string folder = out("colors");
  std::vector<run_report::Run> runs;
  for (const char* name : {"a", "b"}) {
    ReportingRun run(text("colors/", name), {5, "epoch"});
    run.trainer.extend(extensions::PlotReport({"main/loss"}, {.trigger = {1, "epoch"}, .file_name = "loss.svg"}));
    run.trainer.run();
    runs.push_back(run_report::read_run(folder + "/" + name));
  }
  const auto hex = [](std::size_t i) {
    const plot::Color c = plot::series_color(i);
    char digits[8];
    std::snprintf(digits, sizeof digits, "%02x%02x%02x", static_cast<unsigned>(std::lround(c.r * 255)),
                  static_cast<unsigned>(std::lround(c.g * 255)), static_cast<unsigned>(std::lround(c.b * 255)));
    return std::string(digits);
  };
  const json::List shown = live::Results(folder).runs();
  const std::string both = run_report::page({runs[1], runs[0]});
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string own = hex(static_cast<std::size_t>(number_of(shown.at(i), "color")));
    EXPECT(both.find(text(runs[i].name, ": main/loss\",\"c\":\"", own)) != both.npos);
    EXPECT(run_report::page({runs[i]}).find("main/loss\",\"c\":\"" + own) != std::string::npos);
    EXPECT(read_file(folder + "/" + runs[i].name + "/loss.svg").find("stroke=\"#" + own) != std::string::npos);
  }
}

TEST(svg_files_suit_dark_pages) {
  plot::Figure f;
  f.axes[0].series = {{.label = "a", .x = {1, 2}, .y = {1, 2}, .dash = 1}};
  plot::save(f, out("dark.svg"));
  plot::save(plot::Matrix{.counts = ones({2, 2})}, out("dark_matrix.svg"));
  for (const char* name : {"dark.svg", "dark_matrix.svg"}) {
    const std::string file = read_file(out(name));
    EXPECT(file.find("<style>") != file.npos && file.find("prefers-color-scheme: dark") != file.npos);
    // Every color of the picture has its counterpart for dark pages, or stays.
    std::set<std::string> stay = {"k262633", "kfefefe"};
    for (std::size_t at = file.find("class=\""); at != file.npos; at = file.find("class=\"", at + 1)) {
      const std::string name_of = file.substr(at + 7, 7);
      const bool cell = std::string(name) == "dark_matrix.svg" && name_of[0] == 'k';
      EXPECT(stay.contains(name_of) || cell || file.find("." + name_of + " {") != file.npos);
    }
  }
  EXPECT(read_file(out("dark.svg")).find("stroke-dasharray=\"6 3\"") != std::string::npos);
  EXPECT(plot::svg(f).find("<style>") == std::string::npos);  // inside of a page, which has the rules itself
}
