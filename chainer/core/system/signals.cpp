// SPDX-License-Identifier: MIT
#include "chainer/core/system/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <memory>
#include <mutex>
#include <string_view>

#include "chainer/core/system/terminal.h"

namespace chainer {
namespace {

constexpr int kWatched[] = {SIGINT, SIGTERM, SIGHUP};

// The state that the handler uses is lock-free.
std::atomic<int> first{0};
std::atomic<pid_t> owner{0};  // a child of fork() may get a signal before it restores the settings
static_assert(std::atomic<pid_t>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);

std::mutex mutex;  // guards the state below
int watchers = 0;
bool taken[std::size(kWatched)];
struct sigaction before[std::size(kWatched)];

void handle(int signal) {
  const int error = errno;
  int none = 0;
  if (owner == ::getpid() && first.compare_exchange_strong(none, signal)) {
    constexpr std::string_view line =
        "\nThe run stops after this iteration, with a snapshot; a second signal ends the program immediately.\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  } else if (owner == ::getpid() && signal == SIGHUP) {
    // A closed terminal causes two: one from the shell, one from the system.
  } else {
    restore_terminal();
    std::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered when this handler returns
  }
  errno = error;
}

void give_back() {
  for (std::size_t i = 0; i < std::size(kWatched); ++i)
    if (taken[i]) ::sigaction(kWatched[i], &before[i], nullptr), taken[i] = false;
}

}  // namespace

// An alternate stack for the signals of one thread, unless it has one.
struct SignalWatch::Stack {
  static constexpr std::size_t kBytes = std::size_t(64) << 10;  // the registers of AMX alone take 11 KiB
  std::unique_ptr<char[]> memory;
  pthread_t thread = ::pthread_self();

  Stack() {
    stack_t there{};
    if (::sigaltstack(nullptr, &there) != 0 || !(there.ss_flags & SS_DISABLE)) return;
    memory = std::make_unique<char[]>(kBytes);
    stack_t ours{};
    ours.ss_sp = memory.get();
    ours.ss_size = kBytes;
    if (::sigaltstack(&ours, nullptr) != 0) memory.reset();
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() {
    if (!memory) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    // Another thread's stack cannot be removed from here, so its memory is leaked.
    if (!::pthread_equal(thread, ::pthread_self()) || ::sigaltstack(&none, nullptr) != 0) (void)memory.release();
  }
};

SignalWatch::SignalWatch(bool on) : on_(on) {
  if (!on) return;
  stack_ = std::make_unique<Stack>();
  // A worker forked during the run must end when its parent terminates it.
  [[maybe_unused]] static const int once = ::pthread_atfork(nullptr, nullptr, [] { give_back(); });
  const std::lock_guard lock(mutex);
  if (watchers++) return;
  first = 0;
  owner = ::getpid();
  for (std::size_t i = 0; i < std::size(kWatched); ++i) {
    if (::sigaction(kWatched[i], nullptr, &before[i]) != 0 || (before[i].sa_flags & SA_SIGINFO) ||
        before[i].sa_handler != SIG_DFL)
      continue;
    struct sigaction ours {};
    ours.sa_handler = handle;
    ours.sa_flags = SA_RESTART | SA_ONSTACK;
    ::sigemptyset(&ours.sa_mask);
    taken[i] = ::sigaction(kWatched[i], &ours, nullptr) == 0;
  }
}

SignalWatch::~SignalWatch() {
  if (!on_) return;
  const std::lock_guard lock(mutex);
  if (--watchers == 0) give_back();
}

int SignalWatch::received() const { return on_ ? first.load() : 0; }

struct BlockedSignals::Mask {
  sigset_t signals;
};

BlockedSignals::BlockedSignals() : before_(std::make_unique<Mask>()) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_->signals);
}

BlockedSignals::~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_->signals, nullptr); }

const char* signal_name(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : signal == SIGHUP ? "SIGHUP" : "a signal";
}

void end_by(int signal) {
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace chainer
