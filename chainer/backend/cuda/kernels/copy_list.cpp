// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/copy_list.h"

namespace chainer::cuda {
namespace {

DEVICE int bytes_of_type(Type type) { return type == Type::float64 ? 8 : type == Type::float32 ? 4 : 2; }

/// Converts by way of T.
template <class T>
DEVICE void copy_list(const CopyListArgs& a) {
  int at = 0;
  while (at + 1 < a.count && blockIdx.x >= a.items[at + 1].first_block) ++at;
  const CopyListArgs::Item& item = a.items[at];
  const int64_t blocks = (at + 1 < a.count ? a.items[at + 1].first_block : gridDim.x) - item.first_block;
  const int from_bytes = bytes_of_type(item.from_type), to_bytes = bytes_of_type(item.to_type);
  for (int64_t i = int64_t(blockIdx.x - item.first_block) * blockDim.x + threadIdx.x; i < item.size;
       i += blocks * blockDim.x)
    store(item.to + i * to_bytes, item.to_type, load<T>(item.from + i * from_bytes, item.from_type));
}

}  // namespace

KERNEL(copy_list_float32, CopyListArgs) { copy_list<float>(a); }
KERNEL(copy_list_float64, CopyListArgs) { copy_list<double>(a); }

}  // namespace chainer::cuda
