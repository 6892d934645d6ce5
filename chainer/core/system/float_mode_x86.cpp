// SPDX-License-Identifier: MIT
#include "chainer/core/system/float_mode.h"

namespace chainer::cpu {

const unsigned long kFlushDenormals = 0x8040;  // flush to zero, denormals are zero
unsigned long float_mode() { return __builtin_ia32_stmxcsr() & kFlushDenormals; }
void set_float_mode(unsigned long mode) {
  if (const unsigned long now = __builtin_ia32_stmxcsr(); (now & kFlushDenormals) != mode)
    __builtin_ia32_ldmxcsr(static_cast<unsigned>((now & ~kFlushDenormals) | mode));
}
void pause() { __builtin_ia32_pause(); }

}  // namespace chainer::cpu
