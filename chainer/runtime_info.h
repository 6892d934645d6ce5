// SPDX-License-Identifier: MIT
// Information about this build and this machine.
#pragma once
#include <cstdio>
#include <string>

namespace chainer {

/// Returns version, compiler, instruction set, oneDNN, BLAS and its threading, threads, denormal mode; one line each.
std::string runtime_info();
void print_runtime_info(std::FILE* out = stdout);

}  // namespace chainer
