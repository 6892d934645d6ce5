// SPDX-License-Identifier: MIT
#include "chainer/core/system/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace chainer {
namespace {

// The fields that a signal handler reads are written before `taken` is set.
struct Held {
  std::atomic<bool> taken{false};
  std::atomic<int> screen{-1};
  std::atomic<pid_t> holder{0};  // a child of fork() does not restore the terminal
  std::atomic<bool> keys{false};
  termios before{};
};
constinit Held held;

// Signals that end a program, with their previous handlers. The trainer's own handler of SIGINT and SIGTERM calls
// restore_terminal() before it ends the program.
constexpr int kFatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
bool replaced[std::size(kFatal)];

void restore_and_raise(int signal) {
  restore_terminal();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

bool in_foreground() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

// Reads single keys without echo; Ctrl-C still sends a signal.
bool take_keys() {
  termios now{};
  if (!::isatty(STDIN_FILENO) || !in_foreground() || ::tcgetattr(STDIN_FILENO, &now) != 0) return false;
  if (!(now.c_lflag & (ICANON | ECHO))) return true;
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  now.c_cc[VMIN] = 0;
  now.c_cc[VTIME] = 0;
  return ::tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0;
}

void put(int fd, std::string_view text) { [[maybe_unused]] const auto n = ::write(fd, text.data(), text.size()); }

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

std::optional<TerminalSize> terminal_size(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return TerminalSize{size.ws_row, size.ws_col};
}

TerminalKeys::TerminalKeys(std::FILE* out) {
  if (held.taken || !is_terminal(out)) return;
  owner_ = true;
  held.holder = ::getpid();
  held.screen = ::fileno(out);
  const bool known = ::isatty(STDIN_FILENO) && ::tcgetattr(STDIN_FILENO, &held.before) == 0;
  held.keys = known;
  held.taken = true;
  [[maybe_unused]] static const int at_exit = std::atexit([] { restore_terminal(); });
  for (std::size_t i = 0; i < std::size(kFatal); ++i) {
    struct sigaction old {};
    replaced[i] =
        ::sigaction(kFatal[i], nullptr, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL;
    if (replaced[i]) std::signal(kFatal[i], restore_and_raise);
  }
  if (known) take_keys();
  put(held.screen, "\033[?25l");
}

TerminalKeys::~TerminalKeys() {
  if (!owner_) return;
  restore_terminal();
  for (std::size_t i = 0; i < std::size(kFatal); ++i)
    if (replaced[i]) std::signal(kFatal[i], SIG_DFL);
}

std::string TerminalKeys::pressed() {
  std::string out;
  if (!owner_ || !held.keys || !take_keys()) return out;
  pollfd waiting{STDIN_FILENO, POLLIN, 0};
  char buffer[64];
  while (::poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLIN)) {
    const auto n = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (n <= 0) break;
    out.append(buffer, static_cast<std::size_t>(n));
  }
  return out;
}

void restore_terminal() noexcept {
  if (held.holder.load() != ::getpid() || !held.taken.exchange(false)) return;
  if (held.keys && in_foreground()) ::tcsetattr(STDIN_FILENO, TCSANOW, &held.before);
  put(held.screen, "\033[?25h");
}

}  // namespace chainer
