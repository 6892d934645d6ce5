// SPDX-License-Identifier: MIT
// The terminal: whether a stream is one, its size, and keys pressed.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

namespace chainer {

/// Returns true if the stream writes to a terminal.
bool is_terminal(std::FILE* stream);

struct TerminalSize {
  int rows, columns;
};
/// Returns nothing if the stream is not a terminal, or if its size is unknown.
std::optional<TerminalSize> terminal_size(std::FILE* stream);

/// During its lifetime, keys pressed in the terminal of standard input arrive one by one without echo, and the cursor
/// of `screen` is hidden. Both settings are restored by the destructor, at the end of the program, and before a signal
/// ends it (a second Ctrl-C, or a crash). Only one object is active at a time; a second one, a background program and a
/// program without a terminal receive no keys.
class TerminalKeys {
 public:
  explicit TerminalKeys(std::FILE* screen);
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;
  ~TerminalKeys();
  /// Returns the keys pressed since the last call. A program that was stopped and continues in the foreground receives
  /// keys again.
  std::string pressed();

 private:
  bool owner_ = false;
};
/// Restores the terminal at once, if a TerminalKeys is active. Async-signal-safe.
void restore_terminal() noexcept;

}  // namespace chainer
