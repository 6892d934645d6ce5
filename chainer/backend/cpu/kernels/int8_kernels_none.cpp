// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/kernels/int8_table.h"
#include "chainer/backend/cpu/kernels/table.h"

namespace chainer::cpu {

const Int8Kernels* all_int8_kernels(int& count) {
  static const Int8Kernels loops{kernels().name, int8_loops().product};
  count = 1;
  return &loops;
}

}  // namespace chainer::cpu
