// SPDX-License-Identifier: MIT
// The output of PrintReport and ProgressBar in a terminal; without one, no control sequences.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "chainer/training/mock_updater.h"
#include "small_run.h"
#include "test.h"

namespace {

// A pseudo-terminal: text() returns the output written to `out`.
class Terminal {
 public:
  Terminal() {
    if (::grantpt(master_) != 0 || ::unlockpt(master_) != 0) throw RuntimeError("test: no pseudo-terminal");
    out = std::fopen(::ptsname(master_), "w");
    if (!out) throw RuntimeError("test: no pseudo-terminal");
  }
  ~Terminal() {
    std::fclose(out);
    ::close(master_);
  }
  std::string text() {
    std::fflush(out);
    ::fcntl(master_, F_SETFL, O_NONBLOCK);
    std::string all;
    char buffer[4096];
    for (ssize_t n; (n = ::read(master_, buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<std::size_t>(n));
    return all;
  }
  std::FILE* out;

 private:
  int master_ = ::posix_openpt(O_RDWR | O_NOCTTY);
};

// An environment variable for a scope; nullptr removes it.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Environment() { set(old_ ? old_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value)
      ::setenv(name_, value, 1);
    else
      ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

std::string printed(bool bar) {
  Terminal terminal;
  L::Classifier model(L::Linear(2, 2));
  auto optimizer = optimizers::SGD().setup(model);
  iterators::SerialIterator iterator(datasets::TupleDataset(ones({4, 2}), zeros({4}, int32)), 2);
  StandardUpdater updater(iterator, optimizer);
  Trainer trainer(updater, {2, "iteration"}, {.out = out("terminal")});
  trainer.extend(extensions::LogReport({.trigger = {1, "iteration"}}));
  trainer.extend(extensions::PrintReport({"iteration"}, "LogReport", terminal.out), {.trigger = {1, "iteration"}});
  if (bar) trainer.extend(extensions::ProgressBar({.update_interval = 1, .out = terminal.out}));
  trainer.run();
  return terminal.text();
}
bool controls(const std::string& text) { return text.find('\033') != text.npos; }

}  // namespace

TEST(long_bars_and_keys_of_any_alphabet) {
  const Environment term("TERM", "xterm"), rank("OMPI_COMM_WORLD_RANK", nullptr), pmi("PMI_RANK", nullptr),
      pmix("PMIX_RANK", nullptr);
  Terminal terminal;
  chainer::testing::MockUpdater updater(2);
  Trainer trainer(updater, {2, "iteration"}, {.out = out("long_bars")});
  trainer.extend(extensions::LogReport({.trigger = {2, "iteration"}}));
  trainer.extend(extensions::PrintReport({"größe/größe", "epoch"}, "LogReport", terminal.out));
  trainer.extend(extensions::ProgressBar({.update_interval = 1, .bar_length = 300, .out = terminal.out}));
  trainer.run();
  const std::string text = terminal.text();
  EXPECT(text.find("total [" + std::string(150, '#') + std::string(150, '.') + "]  50.00%\r\n") != text.npos);
  EXPECT(text.find("größe/größe  epoch     \r\n") != text.npos);
  EXPECT(text.find("\033[J             1         \r\n") != text.npos);
}

TEST(tables_clear_bars_only) {
  const Environment term("TERM", "xterm"), rank("OMPI_COMM_WORLD_RANK", nullptr), pmi("PMI_RANK", nullptr),
      pmix("PMIX_RANK", nullptr);
  const std::string table = printed(false);
  EXPECT(table.starts_with("iteration \r\n1         \r\n"));
  EXPECT(!controls(table));  // a recorded terminal (script, mpiexec, docker -t) gets plain lines as a file
  const std::string both = printed(true);
  EXPECT(both.find("this epoch [") != both.npos);
  EXPECT(both.find("\033[J2         ") != both.npos);  // the bar below the first line is erased before the second line
  EXPECT(!controls(printed(false)));                   // the bar was erased at the end of its run
  {
    const Environment dumb("TERM", "dumb");
    EXPECT(!controls(printed(true)));
  }
  const Environment launched("OMPI_COMM_WORLD_RANK", "0");
  EXPECT(!controls(printed(true)));
}
