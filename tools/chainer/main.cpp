// chainer: looks into model files, converts and compares them, and shows what this build and its cache have.
#include <cstdio>
#include <exception>

#include "command.h"

int main(int argc, char** argv) {
  try {
    const int code = tool::run({argv + 1, argv + argc});
    if (std::fflush(stdout) != 0) throw chainer::FileError("the output cannot be written");
    return code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "chainer: %s\n", e.what());
    return 2;
  }
}
