// SPDX-License-Identifier: MIT
// Copies of several arrays by few launches.
#include "chainer/array/operations/ops.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/copy_list.h"
#include "chainer/backend/cuda/parts.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {

void CudaBackend::copy_all(std::span<const Array> from, std::span<Array> to) {
  CopyListArgs args{};
  uint32_t blocks = 0;
  Dtype compute = float32;
  int index = 0;
  const auto flush = [&] {
    if (args.count) launch(index, kernel_for("copy_list", compute), {blocks, 1, 1}, {256, 1, 1}, args);
    args = {}, blocks = 0;
  };
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Array& source = from[i];
    Array& target = to[i];
    if (source.size() == 0) continue;
    if (!is_floating(source.dtype()) || !is_floating(target.dtype()) || !source.is_contiguous() ||
        !target.is_contiguous() || source.size() > most_elements || source.device() != target.device()) {
      copy_elements(source, target);
      continue;
    }
    const bool wide = source.dtype() == float64 || target.dtype() == float64;
    if (args.count == CopyListArgs::kMost || compute != (wide ? float64 : float32)) flush();
    compute = wide ? float64 : float32, index = target.device().index();
    const void* const data = source.raw();
    CopyListArgs::Item& item = args.items[args.count++];
    item.from = static_cast<char*>(const_cast<void*>(data)), item.to = static_cast<char*>(target.mutable_raw());
    item.from_type = type_of(source.dtype()), item.to_type = type_of(target.dtype());
    item.size = static_cast<uint32_t>(source.size()), item.first_block = blocks;
    blocks += blocks_for((source.size() + 1023) / 1024);
  }
  flush();
}

}  // namespace chainer::cuda
