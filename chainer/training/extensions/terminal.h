// Which streams may redraw their lines, and whether something does so at the moment.
#pragma once
#include <cstdio>

namespace chainer::training::extensions {

/// Whether control sequences written to the stream reach somebody who looks at a terminal. No for files and pipes, for
/// TERM=dumb, and under mpiexec, which gives each process a terminal of its own and copies what comes into files.
bool redraws(std::FILE* stream);

/// Counts the bars that stand below the cursor: +1 where one begins, -1 where it ends.
void count_bars(int change);

/// Clears what is below the cursor, where a bar stands; nothing else ever gets a control sequence.
void clear_bar(std::FILE* stream);

}  // namespace chainer::training::extensions
