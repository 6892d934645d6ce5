// SPDX-License-Identifier: MIT
// Pages about runs: reading of good and damaged folders, remarks, and the page of a trained run.
#include <chainer/core/system/file.h>
#include <chainer/core/system/run_info.h>
#include <chainer/training/extensions/html_report.h>
#include <chainer/viewing/report/profile.h>
#include <chainer/viewing/report/run.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "comma_locale.h"
#include "small_run.h"
#include "test.h"

namespace report_files {

fs::path result(const std::string& name, const std::string& log) {
  const fs::path f = folder / name;
  make_folder(f);
  write_file(f / "log", log);
  return f;
}
bool says(const run_report::Run& run, const std::string& part) {
  const auto all = run_report::remarks(run);
  return std::any_of(all.begin(), all.end(), [&](const std::string& s) { return s.find(part) != s.npos; });
}
std::size_t occurrences(const std::string& s, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = s.find(part); at != s.npos; at = s.find(part, at + 1)) ++n;
  return n;
}

}  // namespace report_files
using namespace report_files;

TEST(logs_become_curves) {
  const auto f = result("report_good", R"([{"main/loss": 2.5, "epoch": 1, "iteration": 10, "elapsed_time": 0.1},
    {"main/loss": 1.5, "validation/main/loss": NaN, "word": "x", "epoch": 2, "iteration": 20, "elapsed_time": 0.2}])");
  const run_report::Run run = run_report::read_run(f);
  EXPECT_EQ(run.name, "report_good");
  EXPECT_EQ(run.x_key, "iteration");
  EXPECT_EQ(run.curves.size(), 2u);
  EXPECT(run.curves[0].x == (std::vector<double>{10, 20}) && run.curves[0].y == (std::vector<double>{2.5, 1.5}));
  EXPECT(says(run, "validation/main/loss has been NaN since iteration 20"));
  // A log without other files and without iterations, and a log of another program.
  write_file(folder / "epochs.json", R"([{"epoch": 1, "acc": 0.5}, {"epoch": 2, "acc": 0.6}])");
  EXPECT_EQ(run_report::read_run(folder / "epochs.json").x_key, "epoch");
  write_file(folder / "none.json", R"([{"a": 1}, 3, {"a": 2}])");
  EXPECT(run_report::read_run(folder / "none.json").curves[0].x == (std::vector<double>{1, 2}));
}

TEST(damaged_folders_say_what_is_damaged) {
  EXPECT_THROW(FileError, "no folder or log", run_report::read_run(folder / "report_missing"));
  make_folder(folder / "report_bare");
  EXPECT(says(run_report::read_run(folder / "report_bare"), "the folder has no log; extensions::LogReport writes one"));
  EXPECT(says(run_report::read_run(result("report_empty", "[]")), "the log has no entries yet"));
  EXPECT(says(run_report::read_run(result("report_nothing", "")), "the log cannot be read"));
  EXPECT(says(run_report::read_run(result("report_object", "{}")), "the log is not a list"));
  const auto half = run_report::read_run(result("report_half", R"([{"loss": 1, "epoch": 1}, {"loss": 2, "epo)"));
  EXPECT(says(half, "the 1 entries before it are shown") && half.curves.at(0).y.size() == 1);
  const auto f = result("report_broken", "[{\"loss\": 1}]");
  write_file(f / "report.json", "{\"run\": ");
  write_file(f / "args", "not json");
  write_file(f / "cg.dot", "digraph graphname{0 [label=\"a");
  const run_report::Run broken = run_report::read_run(f);
  EXPECT(says(broken, "report.json cannot be read") && says(broken, "args cannot be read"));
  const std::string page = run_report::page({broken, half});
  EXPECT(page.find("</html>") != page.npos);
  // Values of the wrong kind in report.json are omitted.
  write_file(f / "report.json", R"({"run": 3, "arguments": [], "profile": {"functions": [1, {"name": 2}]},
    "statistics": {"/W": {"iteration": [1, "x"], "std": [1, null], "gradient_zero": [null, "a"]}, "/b": 3}})");
  EXPECT(run_report::page({run_report::read_run(f)}).find("</html>") != page.npos);
}

TEST(remarks_on_curves) {
  std::string rising, falling;
  for (int i = 0; i < 40; ++i) {
    const double noise = (i % 2) * 0.02;
    rising += text(i ? ", " : "", "{\"validation/main/loss\": ", i < 14 ? 2 - i * 0.1 : 0.6 + (i - 14) * 0.05,
                   ", \"epoch\": ", i + 1, "}");
    falling += text(i ? ", " : "", "{\"validation/main/loss\": ", 1.0 / (i + 1) + noise, ", \"epoch\": ", i + 1, "}");
  }
  EXPECT(says(run_report::read_run(result("report_rising", "[" + rising + "]")), "has been rising since epoch 15"));
  EXPECT(run_report::remarks(run_report::read_run(result("report_falling", "[" + falling + "]"))).empty());
  const auto f = result("report_dead", "[{\"main/loss\": 1, \"iteration\": 1}]");
  write_file(f / "report.json", R"({"statistics": {"/l3/W": {"gradient_zero": [1, 1, 1, 0.5]}},
    "time": {"seconds": 10, "input_seconds": 4}, "profile": {"seconds": 1.0, "iterations": 5, "functions": [{"name": "ReLU", "seconds": 0.2}]}})");
  const run_report::Run dead = run_report::read_run(f);
  EXPECT(says(dead, "Gradients of /l3/W are zero in 75 % of the samples"));
  EXPECT(says(dead, "The iterator takes 40 % of the time") && says(dead, "Functions take 20 %"));
}

// Five iterations, one of which was interrupted by the system within a function.
TEST(one_interrupted_iteration_says_nothing_about_a_function) {
  using function_hooks::TimeRecord;
  const run_report::Times usual = {{"A", {0.004, 2}}, {"B", {0.003, 1}}, {"C", {0.003, 1}}};
  run_report::Times interrupted = usual;
  interrupted["B"].elapsed_time = 0.5;
  const json::Value profile = run_report::profile({usual, usual, interrupted, usual, usual},
                                                  {0.011, 0.011, 0.51, 0.011, 0.012}, {{"A", {.used_bytes = 8}}});
  const json::Value& first = (*profile.find("functions")->list())[0];
  EXPECT_EQ(*first.find("name")->string(), "A");
  EXPECT(first.find("calls")->number() == 2 && first.find("bytes")->number() == 8);
  EXPECT_EQ(first.find("seconds")->number(), 0.004);
  EXPECT_EQ(profile.find("seconds")->number(), 0.011);
  EXPECT_EQ(profile.find("iterations")->number(), 5);
  const auto f = result("report_interrupted", R"([{"main/loss": 1, "iteration": 1}])");
  const auto write = [&](const json::Value& v) {
    write_file(f / "report.json", json::dump(json::Object{{"profile", v}}));
  };
  write(profile);
  EXPECT(run_report::remarks(run_report::read_run(f)).empty());
  run_report::Times slow = usual;
  slow["B"].elapsed_time = 0.05;
  write(run_report::profile({slow, slow}, {0.06, 0.06}, {}));
  EXPECT(run_report::remarks(run_report::read_run(f)).empty());  // two iterations are too few
  write(run_report::profile({slow, slow, slow}, {0.06, 0.06, 0.06}, {}));
  EXPECT(says(run_report::read_run(f), "B takes 88 % of the time of all functions (median of 3 iterations)"));
}

TEST(pages_are_small_and_stand_for_themselves) {
  std::string log = "[";
  for (int i = 0; i < 100000; ++i)
    log += text(i ? "," : "", "{\"main/loss</script>\": ", i == 70000 ? 50.0 : 1.0 / (1 + i),
                ", \"lr\": 0.1, \"iteration\": ", i, "}");
  const auto f = result("report_long", log + "]");
  const std::string page = run_report::page({run_report::read_run(f), run_report::read_run(f)});
  EXPECT(page.size() < 1000000);
  EXPECT_EQ(occurrences(page, "</script>"), 2u);  // names cannot close the script element
  EXPECT(page.find("http://", page.find("<main>")) == page.npos ||
         occurrences(page, "http://") == occurrences(page, "http://www.w3.org/2000/svg"));
  EXPECT(page.find("70000,") != page.npos);  // the single high value is kept
}

TEST(files_for_programs_have_decimal_points_in_every_locale) {
  const auto f =
      result("report_locale", R"([{"main/loss": 2.5, "iteration": 10}, {"main/loss": 1.25, "iteration": 20}])");
  function_hooks::TraceHook hook;
  hook.span("f", "c", 1.5, 2.0000015);
  const CommaLocale locale;
  EXPECT(run_report::page({run_report::read_run(f)}).find("\"y\":[2.5,1.25]") != std::string::npos);
  EXPECT(hook.dump().find(",\"dur\":500001.500}") != std::string::npos);
}

TEST(arguments_that_two_extensions_wrote_stand_once) {
  const auto f = result("report_twice", R"([{"main/loss": 1, "iteration": 1}])");
  write_file(f / "args", R"({"lr": "0.1"})");
  write_file(f / "report.json", R"({"arguments": {"lr": "0.1"}})");
  EXPECT_EQ(occurrences(run_report::page({run_report::read_run(f)}), "<h3>Arguments</h3>"), 1u);
  write_file(f / "args", R"({"lr": "0.2"})");
  EXPECT_EQ(occurrences(run_report::page({run_report::read_run(f)}), "<h3>Arguments</h3>"), 2u);
}

TEST(commits_are_found_from_below) {
  const std::string commit(40, 'a');
  make_folder(folder / "repository" / "below");
  make_folder(folder / "repository" / ".git" / "refs" / "heads");
  write_file(folder / "repository" / ".git" / "HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(git_commit(folder / "repository" / "below"), "");
  write_file(folder / "repository" / ".git" / "packed-refs", "# pack-refs\n" + commit + " refs/heads/main\n");
  EXPECT_EQ(git_commit(folder / "repository" / "below"), commit);
  write_file(folder / "repository" / ".git" / "refs" / "heads" / "main", std::string(40, 'b') + "\n");
  EXPECT_EQ(git_commit(folder / "repository"), std::string(40, 'b'));
  EXPECT(command_line().find("tests") != std::string::npos);
}

TEST(graphs_are_drawn_in_layers) {
  computational_graph::GraphOptions options;
  Variable x(ones({2, 3}));
  x.set_name("x; \"quoted\" -> {}");
  const Variable y = F::sum(F::exp(x) + x * x);
  const std::string svg =
      run_report::graph_svg(computational_graph::build_computational_graph({y}, options).dump(), "graph");
  EXPECT(svg.find("x; &quot;quoted&quot; -&gt; {}") != svg.npos);
  EXPECT_EQ(occurrences(svg, ">Exp<") + occurrences(svg, ">exp<"), 1u);
  EXPECT_EQ(run_report::graph_svg("", "a"), "");
  EXPECT_EQ(run_report::graph_svg("digraph g{0 [label=\"a\"];1 [label=\"b\"];0 -> 1;1 -> 0;}", "a"), "");
  EXPECT(run_report::graph_svg("digraph g{0 [label=\"a\"];0 -> 0;0 -> 7;}", "a").find("</svg>") != std::string::npos);
}

TEST(slow_data_are_remarked) {
  L::Classifier model(MLP(4, 10));
  auto optimizer = optimizers::SGD(0.1).setup(model);
  // Reading an example takes much longer than the step and the page, also on a busy machine.
  auto slow = std::make_shared<datasets::TransformDataset>(teacher_data(20), [](const Example& e) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return e;
  });
  StandardUpdater updater(std::make_shared<iterators::SerialIterator>(slow, 5), optimizer);
  EXPECT_EQ(updater.input_seconds(), 0.0);
  Trainer trainer(updater, {8, "iteration"}, {.out = out("report_waits")});
  trainer.extend(extensions::HtmlReport({.profiled = 1}));
  trainer.extend(extensions::LogReport({.trigger = {2, "iteration"}}));
  trainer.run();
  EXPECT(updater.input_seconds() >= 8 * 5 * 0.02);
  EXPECT(says(run_report::read_run(folder / "report_waits"), "The iterator takes "));
  EXPECT(read_file(folder / "report_waits" / "report.html").find("waiting for the iterator") != std::string::npos);
}

TEST(a_run_leaves_its_page) {
  random::seed(0);
  L::Classifier model(MLP(20, 10));
  auto optimizer = optimizers::Adam().setup(model);
  iterators::SerialIterator it(teacher_data(60), 10);
  StandardUpdater updater(it, optimizer);
  Trainer trainer(updater, {3, "epoch"}, {.out = out("reported")});
  trainer.extend(extensions::HtmlReport({.arguments = {{"seed", "0"}}}));
  trainer.extend(extensions::dump_graph("main/loss"));  // both read the graph of one observation
  EXPECT_EQ(extensions::dump_graph("main/loss").default_name(), "dump_graph");  // the release's, in snapshots
  trainer.extend(extensions::LogReport());
  trainer.run();
  EXPECT(!config().keep_graph_on_report);
  const std::string page = read_file(folder / "reported" / "report.html");
  for (const char* part : {"data-plot=\"0\"", "main/loss", "seed", "LinearFunction", "Time and memory",
                           "deviation of gradients", "instruction set"})
    EXPECT(page.find(part) != page.npos);
  const json::Value about = json::parse(read_file(folder / "reported" / "report.json"));
  EXPECT_EQ(about.find("statistics")->find("/predictor/l1/W")->find("std")->list()->size(), 3u);
  EXPECT(about.find("profile")->find("functions")->list()->size() > 2);
  EXPECT_THROW(ValueError, "the file name must not be empty", extensions::HtmlReport({.file = ""}));
}

TEST(pages_hold_no_targets_of_links) {
  const fs::path run = out("linked"), elsewhere = out("linked_elsewhere");
  fs::create_directories(run);
  fs::create_directories(elsewhere);
  write_file(elsewhere / "secret.svg", "<svg>the secret</svg>");
  write_file(elsewhere / "args", "{\"password\": \"the secret\"}");
  write_file(run / "own.svg", "<svg>own</svg>");
  write_file(run / "log", "[{\"main/loss\": 1, \"iteration\": 1}]");
  fs::create_symlink(elsewhere / "secret.svg", run / "linked.svg");
  fs::create_symlink(elsewhere / "args", run / "args");
  fs::create_directory_symlink(elsewhere, run / "folder");
  const run_report::Run read = run_report::read_run(run);
  EXPECT_EQ(read.pictures.size(), 1u);
  EXPECT(json::dump(read.arguments) == "null");
  EXPECT_EQ(read.problems.size(), 2u);
  // Links in any part of a path are rejected when the file is opened.
  EXPECT_EQ(read_file_below(out(""), "linked/own.svg", 100), "<svg>own</svg>");
  for (const char* name : {"linked/linked.svg", "linked/folder/secret.svg", "linked/args"})
    EXPECT_THROW(FileError, "cannot read", read_file_below(out(""), name, 100));
  EXPECT_THROW(FileError, "more than 3 bytes", read_file_below(run, "own.svg", 3));
  EXPECT_THROW(FileError, "cannot read", read_file_below(run, "../linked/own.svg", 100));
  EXPECT_THROW(FileError, "it is not a regular file", read_file_below(out(""), "linked", 100));
}
