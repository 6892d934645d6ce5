// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/exp_log.h"

#include "chainer/array/operations/ops.h"
#include "chainer/backend/cpu/kernels/table.h"

namespace chainer::host_kernels {

void exp(double* x, int64_t n) {
  cpu::kernels().elementwise[cpu::kF64][static_cast<int>(Elementwise::exp)](x, x, nullptr, nullptr, n);
}
void log(double* x, int64_t n) {
  cpu::kernels().elementwise[cpu::kF64][static_cast<int>(Elementwise::log)](x, x, nullptr, nullptr, n);
}

}  // namespace chainer::host_kernels
