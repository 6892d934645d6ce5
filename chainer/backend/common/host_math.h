// Vectorised functions for plain loops on the host above the backends.
#pragma once
#include <cstdint>

namespace chainer::host_math {

/// x[i] = exp(x[i]), log(x[i]) for n numbers, by the kernels of the host's backend.
void exp(double* x, int64_t n);
void log(double* x, int64_t n);

}  // namespace chainer::host_math
