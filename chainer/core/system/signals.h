// SPDX-License-Identifier: MIT
// SIGINT (Ctrl-C), SIGTERM and SIGHUP during a run of a trainer.
#pragma once
#include <memory>

namespace chainer {

/// During its lifetime, the first SIGINT, SIGTERM or SIGHUP is only recorded, with a line on standard error; a second
/// SIGINT or SIGTERM ends the process by its default action. Signals that the program handles or ignores itself are not
/// changed. The previous settings are restored when the last watch is destroyed, and in children of fork().
///
/// The creating thread gets an alternate signal stack, until the watch is destroyed by the same thread: inside oneDNN's
/// matrix products the stack pointer may point into a heap buffer, which a handler on that stack would overwrite.
class SignalWatch {
 public:
  [[nodiscard]] explicit SignalWatch(bool on);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();
  /// Returns the received signal, or 0.
  int received() const;

 private:
  bool on_;
  struct Stack;
  std::unique_ptr<Stack> stack_;
};

/// During its lifetime, no signals are delivered to this thread or to threads that it starts.
class [[nodiscard]] BlockedSignals {
 public:
  [[nodiscard]] BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals();

 private:
  struct Mask;
  std::unique_ptr<Mask> before_;
};

/// Returns "SIGINT", "SIGTERM" or "SIGHUP"; "a signal" for any other.
const char* signal_name(int signal);
/// Ends the process by this signal's default action, after flushing the C library's streams.
void end_by(int signal);

}  // namespace chainer
