#include "chainer/core/terminal.h"

#include <unistd.h>

namespace chainer {

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

}  // namespace chainer
