// SPDX-License-Identifier: MIT
#include "chainer/core/system/child_process.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "chainer/core/error.h"
#include "chainer/core/system/signals.h"

namespace chainer {
namespace {

// Kills a child if it has not ended, and returns its status. Returns nothing if other code has already waited for it:
// its number may belong to another process.
std::optional<int> end_process(pid_t number) {
  int status = 0;
  pid_t ended = ::waitpid(number, &status, WNOHANG);
  if (ended == 0) {
    ::kill(number, SIGKILL);
    while ((ended = ::waitpid(number, &status, 0)) < 0 && errno == EINTR) {}
  }
  return ended == number ? std::optional(status) : std::nullopt;
}

}  // namespace

bool can_fork() {
  std::error_code error;
  int threads = 0;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end; it.increment(error))
    ++threads;
  return !error && threads == 1;
}

ChildProcess::ChildProcess(const std::string& who, const std::string& name,
                           const std::vector<const ChildProcess*>& others, const std::function<void(int)>& work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw RuntimeError(who, ": cannot create a pipe to ", name, ": ", std::strerror(errno));
  const pid_t parent = ::getpid();
  auto blocked = std::make_unique<BlockedSignals>();  // until the child ignores the signals meant for its parent
  const pid_t number = ::fork();
  if (number < 0) {
    const int why = errno;
    ::close(ends[0]), ::close(ends[1]);
    throw RuntimeError(who, ": cannot start a process for ", name, ": ", std::strerror(why));
  }
  if (number == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    blocked.reset();
    ::close(ends[0]);
    for (const ChildProcess* other : others) ::close(other->socket_);
    work(ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  number_ = number;
  socket_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (socket_ >= 0) ::close(socket_);
  if (number_ > 0) (void)end_process(number_);
}

std::string ChildProcess::end() {
  const std::optional<int> status = end_process(std::exchange(number_, -1));
  return !status                ? "it no longer exists"
         : WIFSIGNALED(*status) ? text("killed by signal ", WTERMSIG(*status))
                                : text("it exited with status ", WEXITSTATUS(*status));
}

std::string ChildProcess::stopped() const {
  int status = 0;
  const bool so = ::waitpid(number_, &status, WNOHANG | WUNTRACED) == number_ && WIFSTOPPED(status);
  return so ? text("stopped by signal ", WSTOPSIG(status)) : "";
}

}  // namespace chainer
