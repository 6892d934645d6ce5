// What this build is and what it found on this machine.
#pragma once
#include <cstdio>
#include <string>

namespace chainer {

/// Version, compiler, instruction set, oneDNN, BLAS and its threading, threads, denormal mode; one line each.
std::string runtime_info();
void print_runtime_info(std::FILE* out = stdout);

}  // namespace chainer
