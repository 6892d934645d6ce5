// SPDX-License-Identifier: MIT
// chainer: inspects, converts and compares model files, and shows the build and its cache.
#include <cstdio>
#include <exception>

#include "chainer/core/utf8.h"
#include "command.h"

int main(int argc, char** argv) {
  try {
    const int code = tool::run({argv + 1, argv + argc});
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw chainer::FileError("cannot write the output");
    return code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "chainer: %s\n", chainer::printable(e.what()).c_str());
    return 2;
  }
}
