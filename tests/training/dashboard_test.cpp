// SPDX-License-Identifier: MIT
// The dashboard: its lines at every size, plain lines without a terminal, and in tmux: the screen, keys, resizes, and
// the state of the terminal after each kind of end.
#include <chainer/core/system/file.h>
#include <chainer/core/utf8.h>
#include <chainer/training/extensions/dashboard.h>
#include <chainer/viewing/plot/braille.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "chainer/training/mock_updater.h"
#include "small_run.h"
#include "test.h"

namespace dashboards {

using extensions::DashboardState;

// Counts the characters of a line without color sequences.
int characters(const std::string& line) {
  int n = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '\033') {
      at = line.find('m', at) + 1;
      continue;
    }
    next_utf8(line, at);
    ++n;
  }
  return n;
}

std::string run(const std::string& command) {
  std::string out;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw RuntimeError("test: no process for ", command);
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  ::pclose(pipe);
  return out;
}
void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// A tmux terminal in which a shell runs the given test of this program.
class Tmux {
 public:
  explicit Tmux(const std::string& end) : folder_(out("tmux_" + end)) {
    fs::create_directories(folder_);
    ::setenv("CHAINER_TEST_DASHBOARD", end.c_str(), 1);
    ::setenv("CHAINER_TEST_FOLDER", folder_.c_str(), 1);
    const std::string program = fs::read_symlink("/proc/self/exe").string();
    tmux("-f /dev/null new-session -d -x 80 -y 24 'trap : INT; env -u CI -u NO_COLOR " + program +
         " dashboard_program_for_tmux; echo code $?; stty -a | grep -o -w -e .icanon -e .echo; cat'");
    ::unsetenv("CHAINER_TEST_DASHBOARD");
  }
  Tmux(const Tmux&) = delete;
  ~Tmux() { tmux("kill-server"); }
  std::string tmux(const std::string& words) { return run("tmux -L " + socket_ + " " + words + " 2>&1"); }
  std::string screen() { return tmux("capture-pane -p"); }
  void press(const std::string& key) { tmux("send-keys " + key); }
  // Returns the screen as soon as it contains the text, or after a timeout.
  std::string screen_with(const std::string& text) {
    std::string now;
    for (int i = 0; i < 200; ++i, wait(0.05))
      if ((now = screen()).find(text) != now.npos) break;
    return now;
  }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_, socket_ = text("chainer-test-", ::getpid(), "-", ++made_);
  static inline int made_ = 0;
};
bool without_tmux() {
  if (!run("command -v tmux").empty()) return false;
  std::printf("  skipped: tmux is not installed\n");
  EXPECT(true);
  return true;
}

}  // namespace dashboards
using namespace dashboards;

TEST(curves_in_braille) {
  const plot::TextCurve line{{{0, 0}, {1, 1}, {2, 2}, {3, 3}}};
  const auto lines = plot::braille({line}, 17, 3, false);
  EXPECT_EQ(lines.size(), 3u);
  EXPECT_EQ(characters(lines[0]), 17);
  EXPECT(lines[0].starts_with("       3 ") && lines[1].starts_with("       0 "));
  EXPECT_EQ(lines[2], "         0      3");
  EXPECT(plot::braille({line}, 5, 3).empty());
  const plot::TextCurve broken{{{0, NAN}, {1, INFINITY}}}, one{{{7, 2}}};
  EXPECT_EQ(plot::braille({broken}, 30, 4).size(), 4u);
  EXPECT_EQ(plot::braille({one}, 30, 4).size(), 4u);
}

TEST(curves_stay_short) {
  extensions::BoundedCurve c;
  for (int i = 1; i <= 100000; ++i) c.add(i, i);
  EXPECT(c.points().size() < extensions::BoundedCurve::kMost && c.points().size() >= 512);
  double last = 0;
  for (const auto& [x, y] : c.points()) {
    EXPECT(x > last && y <= x && y > last);
    last = x;
  }
}

TEST(dashboards_fit_every_window) {
  DashboardState s;
  s.epoch = 1.5, s.iteration = 15, s.done = 0.15, s.elapsed = 10, s.left = 57, s.speed = 1.5, s.message = "";
  for (int i = 1; i <= 15; ++i) {
    s.curves["main/loss"].add(i, 1.0 / i);
    s.curves["validation/main/loss"].add(i, 2.0 / i);
    s.curves["main/accuracy"].add(i, i / 15.0);
  }
  json::List log;
  for (int i = 1; i < 9; ++i)
    log.emplace_back(json::Object{{"main/loss", 1.0 / i}, {"epoch", i}, {"iteration", 10 * i}, {"elapsed_time", 1.0}});
  s.log = &log;
  for (int rows = 1; rows < 70; ++rows)
    for (int columns = 1; columns < 150; columns += 3) {
      const auto lines = dashboard_lines(s, {rows, columns});
      EXPECT(static_cast<int>(lines.size()) <= std::max(1, rows - 2));
      for (const std::string& line : lines) EXPECT(characters(line) < std::max(columns, 1));
    }
  const auto lines = dashboard_lines(s, {24, 80});
  EXPECT(lines[0].starts_with("epoch 1.50  iteration 15  15.0 %"));
  EXPECT(lines[2].find("main/loss") != std::string::npos && lines[2].find("(1 of 2)") != std::string::npos);
  s.chosen = 1;
  EXPECT(dashboard_lines(s, {24, 80})[2].find("main/accuracy") != std::string::npos);
  EXPECT_EQ(extensions::dashboard_line(s),
            " 15.0%  epoch 1.50  iteration 15  1.5 iters/sec  0:00:57 left  main/loss 0.125");
}

TEST(dashboards_print_lines_where_nobody_looks) {
  const std::string file = out("lines.txt");
  std::FILE* lines = std::fopen(file.c_str(), "w");
  chainer::testing::MockUpdater updater(5);
  Trainer trainer(updater, {2, "epoch"}, {.out = out("lines")});
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::Dashboard({.out = lines}));
  trainer.run();
  std::fclose(lines);
  const std::string text = read_file(file);
  EXPECT(text.find('\033') == text.npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT(text.starts_with(" 50.0%  epoch 1.00  iteration 5  ") && text.find("main/loss 0.45667") != text.npos);
  EXPECT_THROW(ValueError, "intervals must be positive, not 0", extensions::Dashboard({.interval = 0}));
}

// Not a test: the program that runs in tmux, if an environment variable is set.
TEST(dashboard_program_for_tmux) {
  EXPECT(true);
  const char* const chosen = std::getenv("CHAINER_TEST_DASHBOARD");
  if (!chosen) return;
  const std::string end = chosen, place = std::getenv("CHAINER_TEST_FOLDER");
  chainer::testing::MockUpdater updater(50);
  Trainer trainer(updater, {10, "epoch"}, {.out = place});
  trainer.extend(extensions::LogReport());
  trainer.extend(
      [&](Trainer& t) {
        chainer::report({{"accuracy", 1.0 - 1.0 / static_cast<double>(t.updater().iteration())}}, &updater.link);
        wait(t.updater().iteration() < 250 ? 0.001 : 0.02);
        if (end == "throw" && t.updater().iteration() == 260) throw ValueError("thrown at 260");
        if (end == "crash" && t.updater().iteration() == 260) ::raise(SIGSEGV);
      },
      ExtendOptions{.priority = PRIORITY_WRITER});
  trainer.extend(extensions::Dashboard({.interval = 0.05}));
  trainer.run(false);
}

TEST(dashboard_in_tmux) {
  if (without_tmux()) return;
  Tmux t("quit");
  std::string screen = t.screen_with("iteration 26");
  EXPECT(screen.find("epoch 5.") != screen.npos && screen.find("iterations/s   memory ") != screen.npos);
  EXPECT(screen.find("main/loss") != screen.npos && screen.find("(1 of 2)") != screen.npos);
  EXPECT(screen.find("       1 \u2847") != screen.npos);  // the curve begins at 1, in the corner
  EXPECT(screen.find("    epoch  iteration  main/accuracy  main/loss") != screen.npos);
  EXPECT(screen.find("        5        250") != screen.npos);
  EXPECT(screen.find("q snapshot and stop") != screen.npos);
  t.press("c");
  screen = t.screen_with("(2 of 2)");
  EXPECT(screen.find("main/accuracy") != screen.npos);
  t.tmux("resize-window -x 50 -y 16");
  wait(0.5);
  screen = t.screen();
  EXPECT(screen.find("(2 of 2)") != screen.npos && screen.find("q snapshot and stop") != screen.npos);
  std::size_t titles = 0;
  for (std::size_t at = 0; (at = screen.find(" left,", at)) != screen.npos; ++at) ++titles;
  EXPECT_EQ(titles, 1u);  // the larger picture has been erased
  t.press("s");
  screen = t.screen_with("snapshot: ");
  EXPECT(screen.find("snapshot: ") != screen.npos);
  t.press("q");
  screen = t.screen_with("code");
  EXPECT(screen.find("code 0") != screen.npos);
  screen = t.screen_with("icanon");
  EXPECT(screen.find("-icanon") == screen.npos && screen.find("-echo") == screen.npos);
  EXPECT_EQ(t.tmux("display-message -p '#{cursor_flag}'"), "1\n");
  std::size_t snapshots = 0;
  for (const auto& f : fs::directory_iterator(t.folder()))
    snapshots += f.path().filename().string().starts_with("snapsh");
  EXPECT_EQ(snapshots, 2u);
}

TEST(terminals_are_given_back_at_any_end) {
  if (without_tmux()) return;
  for (const char* end : {"throw", "crash", "twice"}) {
    Tmux t(end);
    t.screen_with("iteration 25");
    EXPECT_EQ(t.tmux("display-message -p '#{cursor_flag}'"), "0\n");
    if (std::string(end) == "twice") t.press("C-c C-c");
    const std::string screen = t.screen_with("code");
    EXPECT(screen.find("code 0") == screen.npos && screen.find("code") != screen.npos);
    EXPECT(t.screen_with("icanon").find("-icanon") == std::string::npos);
    EXPECT_EQ(t.tmux("display-message -p '#{cursor_flag}'"), "1\n");
  }
}
