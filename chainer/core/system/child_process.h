// SPDX-License-Identifier: MIT
// Worker processes.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace chainer {

/// Returns true if this process has a single thread: after a fork() with several threads, locks can stay locked
/// forever.
bool can_fork();

/// A child process made by fork(), connected to this process by a socket. It is killed when its parent ends. It ignores
/// SIGINT, SIGTERM and SIGHUP, which terminals and batch systems send to all processes of a job: the parent decides how
/// the child ends.
class ChildProcess {
 public:
  /// Starts a child that calls work(socket), which must not throw, and then exits. The child closes its copies of the
  /// sockets of `others`. Throws RuntimeError "who: no process for name: " followed by the reason.
  ChildProcess(const std::string& who, const std::string& name, const std::vector<const ChildProcess*>& others,
               const std::function<void(int)>& work);
  ChildProcess(ChildProcess&& o) noexcept
      : number_(std::exchange(o.number_, -1)), socket_(std::exchange(o.socket_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Kills the child if it has not ended.
  ~ChildProcess();
  int number() const { return number_; }
  int socket() const { return socket_; }
  /// Kills the child if it has not ended. Returns how it ended, for example "killed by signal 9".
  std::string end();
  /// Returns "stopped by signal 19" if the child was stopped since the last call, else an empty string.
  std::string stopped() const;

 private:
  int number_ = -1, socket_ = -1;
};

}  // namespace chainer
