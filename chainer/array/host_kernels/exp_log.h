// SPDX-License-Identifier: MIT
// Vectorised functions for loops on the host above the backends.
#pragma once
#include <cstdint>

namespace chainer::host_kernels {

/// x[i] = exp(x[i]) or log(x[i]) for n numbers, by the kernels of the CPU backend.
void exp(double* x, int64_t n);
void log(double* x, int64_t n);

}  // namespace chainer::host_kernels
