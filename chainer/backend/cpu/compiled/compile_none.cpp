// SPDX-License-Identifier: MIT
// Without a compiler for loops: programs are run one instruction after the other.
#include "chainer/backend/cpu/compiled/fused_loop.h"

namespace chainer::cpu {

bool compiles_loops() { return false; }
bool compiles(Elementwise) { return false; }
FusedCode compile(const FusedLoop&) { return {}; }
std::string loop_compiler() { return {}; }

}  // namespace chainer::cpu
