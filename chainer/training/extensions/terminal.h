// SPDX-License-Identifier: MIT
// Streams whose lines can be redrawn, and the bars that are currently drawn.
#pragma once
#include <cstdio>

namespace chainer::training::extensions {

/// Returns true if control sequences in the stream reach a terminal. Returns false for files and pipes, for TERM=dumb,
/// and under mpiexec, which gives each process a terminal and copies its output to files.
bool redraws(std::FILE* stream);

/// Counts the bars below the cursor: +1 when a bar begins, -1 when it ends.
void count_bars(int change);

/// Clears the lines below the cursor if a bar is drawn there; otherwise writes nothing.
void clear_bar(std::FILE* stream);

}  // namespace chainer::training::extensions
