// Ctrl-C and SIGTERM during a run of a trainer.
#pragma once
#include <memory>

namespace chainer {

/// While one lives, the first SIGINT or SIGTERM is only remembered, with a line on standard error, and a second one
/// ends the process as if nobody had been here. A signal that the program handles or ignores itself is left alone. The
/// settings from before come back with the last of them, and so they do in children of fork().
///
/// The thread that makes one gets a stack of its own for signals, until it destroys the watch: inside of oneDNN's
/// products the stack pointer points into a heap buffer of theirs, over whose beginning a handler would write.
class SignalWatch {
 public:
  explicit SignalWatch(bool on);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();
  /// The signal that came, or 0.
  int received() const;

 private:
  bool on_;
  struct Stack;
  std::unique_ptr<Stack> stack_;
};

/// "SIGINT", "SIGTERM"
const char* signal_name(int signal);
/// Ends the process by this signal, as its default action does; what the C library's streams hold is written out first.
void end_by(int signal);

}  // namespace chainer
