// A terminal: whether somebody looks, how large it is, which keys were pressed.
#pragma once
#include <cstdio>
#include <optional>
#include <string>

namespace chainer {

/// Whether what is written to the stream comes to a terminal.
bool is_terminal(std::FILE* stream);

struct TerminalSize {
  int rows, columns;
};
/// Nothing where the stream is no terminal, or one that does not tell.
std::optional<TerminalSize> terminal_size(std::FILE* stream);

/// While one lives, the keys that are pressed in the terminal of standard input come one by one and unseen, and the
/// cursor of `screen` is hidden. Both are given back by its end, by the end of the program, and before a signal ends
/// it: by a second Ctrl-C and by crashes too. One at a time; a second one, a program in the background and one without
/// a terminal get no keys.
class TerminalKeys {
 public:
  explicit TerminalKeys(std::FILE* screen);
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;
  ~TerminalKeys();
  /// What was pressed since the last call. A program that was stopped and goes on in the foreground gets keys again.
  std::string pressed();

 private:
  bool owner_ = false;
};
/// Gives the terminal back at once, if somebody has it; may be called from a signal handler.
void restore_terminal() noexcept;

}  // namespace chainer
