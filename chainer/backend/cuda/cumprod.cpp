// SPDX-License-Identifier: MIT
// The gradient of running products.
#include "chainer/backend/cuda/kernels/cumprod.h"

#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {

bool CudaBackend::cumprod_grad(const Array& x, const Array& y, const Array& gy, Array& gx, int64_t outer, int64_t n,
                               int64_t inner) {
  if (gx.size() == 0) return true;
  const Device& device = gx.device();
  CumprodArgs args{};
  args.x = static_cast<const char*>(x.raw()), args.y = static_cast<const char*>(y.raw());
  args.gy = static_cast<const char*>(gy.raw()), args.gx = static_cast<char*>(gx.mutable_raw());
  args.type = type_of(gx.dtype()), args.bytes = static_cast<int>(item_size(gx.dtype()));
  args.lines = outer * inner, args.n = n, args.inner = inner;
  if (n < 64 || args.lines >= 4096) {
    const Threads t(args.lines);
    launch(device.index(), "cumprod_columns", t.grid, t.block, args);
    return true;
  }
  args.parts = (n + CumprodArgs::kPart - 1) / CumprodArgs::kPart;
  constexpr Dim3 block{CumprodArgs::kThreads, 1, 1};
  const Dim3 each_part{blocks_for(args.lines * args.parts), 1, 1};
  Array affine, before;
  if (args.parts > 1) {
    affine = Array({args.lines, args.parts, static_cast<int64_t>(sizeof(Affine))}, uint8, device);
    before = Array({args.lines, args.parts}, float64, device);
    args.affine = static_cast<Affine*>(affine.mutable_raw()), args.before = static_cast<double*>(before.mutable_raw());
    launch(device.index(), "cumprod_parts", each_part, block, args);
    launch(device.index(), "cumprod_between", {blocks_for(args.lines), 1, 1}, block, args);
  }
  launch(device.index(), "cumprod_rows", each_part, block, args);
  return true;
}

}  // namespace chainer::cuda
