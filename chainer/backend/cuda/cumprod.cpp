// SPDX-License-Identifier: MIT
// Running products of floating-point numbers and their gradient.
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/cumprod.h"
#include "chainer/backend/cuda/kernels/running_products.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {

void CudaBackend::running_products(const Array& a, int axis, Array& out) {
  Shape rows;
  Strides in_rows, out_rows;
  for (int d = 0; d < a.ndim(); ++d)
    if (d != axis)
      rows.push_back(a.shape()[d]), in_rows.push_back(a.strides()[d]), out_rows.push_back(out.strides()[d]);
  const auto loop = make_loop<2>(rows, {&in_rows, &out_rows}, 2);
  ProductsArgs args{};
  args.rows = space_of(loop);
  args.in = operand_of(loop, 0, a.raw(), a.dtype()), args.out = operand_of(loop, 1, out.mutable_raw(), out.dtype());
  args.n = a.shape()[axis], args.parts = (args.n + ProductsArgs::kPart - 1) / ProductsArgs::kPart;
  args.in_step = a.strides()[axis] * item_size(a.dtype());
  args.out_step = out.strides()[axis] * item_size(out.dtype());
  const int index = out.device().index();
  constexpr Dim3 block{ProductsArgs::kThreads, 1, 1};
  const Dim3 each_part{blocks_for(args.rows.size * args.parts), 1, 1};
  Array totals;
  if (args.parts > 1) {
    totals = Array({int64_t(args.rows.size), args.parts, static_cast<int64_t>(sizeof(Scaled))}, uint8, out.device());
    args.totals = static_cast<Scaled*>(totals.mutable_raw());
    launch(index, "product_totals", each_part, block, args);
    launch(index, "product_before", {blocks_for(args.rows.size), 1, 1}, block, args);
  }
  launch(index, "running_products", each_part, block, args);
}

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
