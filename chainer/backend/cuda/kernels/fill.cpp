// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/fill.h"

namespace chainer::cuda {

KERNEL(fill_float64, FillArgs) {
  for (int64_t i = first_element(); i < a.space.size; i += element_step())
    store(a.out.data + offset(a.space, a.out, static_cast<uint32_t>(i)), a.out.type, a.number);
}
KERNEL(fill_int64, FillArgs) {
  for (int64_t i = first_element(); i < a.space.size; i += element_step())
    store(a.out.data + offset(a.space, a.out, static_cast<uint32_t>(i)), a.out.type, a.integer);
}

}  // namespace chainer::cuda
