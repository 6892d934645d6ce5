// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/kernels/bfloat_table.h"

namespace chainer::cpu {

const BfloatKernels* bfloat_kernels() { return nullptr; }

}  // namespace chainer::cpu
