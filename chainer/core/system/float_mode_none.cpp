// SPDX-License-Identifier: MIT
#include "chainer/core/system/float_mode.h"

namespace chainer::cpu {

const unsigned long kFlushDenormals = 0;
unsigned long float_mode() { return 0; }
void set_float_mode(unsigned long) {}
void pause() {}

}  // namespace chainer::cpu
