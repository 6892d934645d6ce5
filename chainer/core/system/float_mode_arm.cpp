// SPDX-License-Identifier: MIT
#include "chainer/core/system/float_mode.h"

namespace chainer::cpu {
namespace {

unsigned long control() {
  unsigned long value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}

}  // namespace

const unsigned long kFlushDenormals = 1ul << 24;  // FZ: operands and results
unsigned long float_mode() { return control() & kFlushDenormals; }
void set_float_mode(unsigned long mode) {
  if (const unsigned long now = control(); (now & kFlushDenormals) != mode)
    asm volatile("msr fpcr, %0" : : "r"((now & ~kFlushDenormals) | mode));
}
void pause() { asm volatile("yield"); }

}  // namespace chainer::cpu
