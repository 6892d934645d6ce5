// SPDX-License-Identifier: MIT
// For builds without nvcc.
#include "chainer/backend/cuda/driver_cuda.h"

namespace chainer::cuda {

Kernels kernels() { return {}; }

}  // namespace chainer::cuda
