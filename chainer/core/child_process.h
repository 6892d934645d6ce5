// Processes that work for this one.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace chainer {

/// Whether this process has one thread only: a fork of several can leave locks closed for ever.
bool can_fork();

/// A child of fork(), with a socket between it and this process. It dies with its parent, also when that is killed, and
/// leaves a terminal's interrupt to it.
class ChildProcess {
 public:
  /// Begins one that calls work(socket), which throws nothing, and ends behind it. `who` and `name` stand in the
  /// RuntimeError: "who: no process for name: " and the reason. The child lets go of the sockets of `others`.
  ChildProcess(const std::string& who, const std::string& name, const std::vector<const ChildProcess*>& others,
               const std::function<void(int)>& work);
  ChildProcess(ChildProcess&& o) noexcept
      : number_(std::exchange(o.number_, -1)), socket_(std::exchange(o.socket_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Ends it, if that has not happened.
  ~ChildProcess();
  int number() const { return number_; }
  int socket() const { return socket_; }
  /// Ends it, if that has not happened; how it ended: "killed by signal 9".
  std::string end();
  /// "stopped by signal 19" since the last call, or nothing.
  std::string stopped() const;

 private:
  int number_ = -1, socket_ = -1;
};

}  // namespace chainer
