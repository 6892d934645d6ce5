// Whether somebody looks.
#pragma once
#include <cstdio>

namespace chainer {

/// Whether what is written to the stream comes to a terminal.
bool is_terminal(std::FILE* stream);

}  // namespace chainer
