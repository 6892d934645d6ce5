// SPDX-License-Identifier: MIT
// Reductions, cumulative sums, matrix products by kernels.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "chainer/array/order.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/kernels/reduce.h"
#include "chainer/backend/cuda/kernels/scan.h"
#include "chainer/backend/cuda/parts.h"
#include "chainer/backend/cuda/spaces.h"

namespace chainer::cuda {
namespace {

constexpr uint32_t kMostParts = 1024;

// Returns the arguments of a reduction over `axes`; in the result they have length one or are absent.
ReduceArgs reduction(const Array& a, const Dims& axes, Array& out, int op) {
  const void* from = a.raw();
  void* to = out.mutable_raw();
  const Strides in = a.strides(), out_strides = out.strides();
  const bool keeps = out.ndim() == a.ndim();
  Shape kept, reduced;
  Strides kept_in, kept_out, reduced_in;
  int position = 0;
  for (int d = 0; d < a.ndim(); ++d) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!is_reduced) {
      kept.push_back(a.shape()[d]), kept_in.push_back(in[d]);
      kept_out.push_back(out_strides[keeps ? d : position]);
    }
    position += !is_reduced || keeps;
  }
  // In memory order, as in programs of deferred evaluation.
  for (const int64_t d : memory_order(a))
    if (std::find(axes.begin(), axes.end(), d) != axes.end())
      reduced.push_back(a.shape()[d]), reduced_in.push_back(in[d]);
  const auto k = make_loop<2>(kept, {&kept_in, &kept_out}, 2);
  const auto r = make_loop<1>(reduced, {&reduced_in}, 1, false);
  ReduceArgs args{};
  args.kept = space_of(k), args.reduced = space_of(r);
  args.in_kept = operand_of(k, 0, from, a.dtype()), args.in_reduced = operand_of(r, 0, from, a.dtype());
  args.out = operand_of(k, 1, to, out.dtype());
  args.op = op;
  return args;
}

// Chooses the shape of blocks, by lengths and the order of axes in memory: threads of a warp read adjacent elements, a
// thread has several of them to load at once, and long reductions are split so that blocks occupy a large device.
void choose_blocks(ReduceArgs& a) {
  constexpr unsigned kThreads = ReduceArgs::kThreads;
  const auto step = [](const Operand& o, int axes) { return axes ? std::abs(o.stride[0]) : 0; };
  const int64_t across = step(a.in_kept, a.kept.ndim), along = step(a.in_reduced, a.reduced.ndim);
  a.columns = a.kept.size > 1 && across != 0 && (along == 0 || across < along);
  const unsigned lanes = std::clamp(std::bit_ceil(a.reduced.size / 4 + 1), 1u, a.columns ? 8u : kThreads);
  a.wide = static_cast<int>(kThreads / lanes);
  const uint32_t tiles = (a.kept.size - 1) / static_cast<uint32_t>(a.wide) + 1;
  a.parts =
      std::clamp(std::min(a.reduced.size / (lanes * 16), kMostParts / std::min(tiles, kMostParts)), 1u, kMostParts);
}
Dim3 grid_of(const ReduceArgs& a) {
  return {blocks_for((a.kept.size - 1) / static_cast<uint32_t>(a.wide) + 1), a.parts, 1};
}
// Returns the arguments that combine the parts of a reduction.
ReduceArgs merging(ReduceArgs a) {
  a.from_totals = a.totals, a.from_positions = a.positions;
  a.reduced = {};
  a.reduced.size = a.parts, a.parts = 1;
  a.columns = a.kept.size > 1;
  a.wide = static_cast<int>(std::clamp(std::bit_ceil(a.kept.size), 1u, 32u));
  return a;
}
const char* kernel_of_sums(Dtype d) {
  switch (d) {
    case Dtype::float32: return "reduce_float32";
    case Dtype::float64: return "reduce_float64";
    case Dtype::float16: return "reduce_float16";
    case Dtype::bfloat16: return "reduce_bfloat16";
    default: return "reduce_int64";
  }
}

}  // namespace

// Reduces the parts of the longest axis separately, and then the results of these parts, if it is a reduced axis.
void CudaBackend::reduce_in_parts(Reduce op, const Array& a, const Dims& axes, Array& out) {
  Array totals;
  int64_t reduced = 0;
  in_parts(a.shape(), [&](int axis, int64_t begin, int64_t count) {
    const Array part = part_of(a, axis, begin, count);
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
      const auto before = std::count_if(axes.begin(), axes.end(), [axis](int64_t d) { return d < axis; });
      const int kept = out.ndim() == a.ndim() ? axis : axis - static_cast<int>(before);
      Array to = part_of(out, kept, begin, count);
      return reduce(op, part, axes, to);
    }
    if (!totals) {
      const int64_t parts = (a.shape()[axis] + count - 1) / count;  // the first part is one of the longest
      totals = Array({parts, out.size()}, is_floating(a.dtype()) ? float64 : int64, out.device());
    }
    Array total = part_of(totals, 0, reduced++, 1).reshape(out.shape());
    reduce(op, part, axes, total);
  });
  if (!totals) return;
  Array sum({out.size()}, totals.dtype(), out.device());
  reduce(op, totals, Dims{0}, sum);
  copy_elements(sum.reshape(out.shape()), out);
}

void CudaBackend::reduce(Reduce op, const Array& a, const Dims& axes, Array& out) {
  if (out.size() == 0) return;
  if (a.size() > most_elements) return reduce_in_parts(op, a, axes, out);
  ReduceArgs args = reduction(a, axes, out, static_cast<int>(op));
  choose_blocks(args);
  const int index = out.device().index();
  const Dtype wide = is_floating(a.dtype()) ? float64 : int64;
  Array totals;
  if (args.parts > 1) {
    totals = Array({args.parts, int64_t(args.kept.size)}, wide, out.device());
    args.totals = static_cast<char*>(totals.mutable_raw());
  }
  constexpr Dim3 block{ReduceArgs::kThreads, 1, 1};
  launch(index, kernel_of_sums(a.dtype()), grid_of(args), block, args);
  if (args.parts == 1) return;
  const ReduceArgs merge = merging(args);
  launch(index, kernel_of_sums(wide), grid_of(merge), block, merge);
}

void CudaBackend::arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) {
  if (out.size() == 0) return;
  if (in_parts(out.shape(), [&](int along, int64_t begin, int64_t count) {
        const int of_a = out.ndim() == a.ndim() || along < axis ? along : along + 1;
        Array to = part_of(out, along, begin, count);
        arg_reduce(op, part_of(a, of_a, begin, count), axis, to);
      }))
    return;
  ReduceArgs args = reduction(a, Dims{axis}, out, static_cast<int>(op));
  choose_blocks(args);
  const int index = out.device().index();
  const char* const kernel = is_floating(a.dtype()) ? "arg_reduce_float64" : "arg_reduce_int64";
  Array totals, positions;
  if (args.parts > 1) {
    totals = Array({args.parts, int64_t(args.kept.size)}, is_floating(a.dtype()) ? float64 : int64, out.device());
    positions = Array(totals.shape(), int64, out.device());
    args.totals = static_cast<char*>(totals.mutable_raw());
    args.positions = static_cast<int64_t*>(positions.mutable_raw());
  }
  constexpr Dim3 block{ReduceArgs::kThreads, 1, 1};
  launch(index, kernel, grid_of(args), block, args);
  if (args.parts == 1) return;
  const ReduceArgs merge = merging(args);
  launch(index, kernel, grid_of(merge), block, merge);
}

namespace {

// Whether a thread scans a row of n elements alone.
bool by_columns(int64_t n, int64_t rows) { return n < 64 || rows >= 4096; }

// A part of an axis, as an axis of its own after that of the parts: (..., n, ...) as (parts, ..., length).
Array in_rows(const Array& a, int axis, int64_t first, int64_t parts, int64_t length) {
  Shape shape{parts};
  Strides strides{a.strides()[axis] * length};
  for (int d = 0; d < a.ndim(); ++d)
    if (d != axis) shape.push_back(a.shape()[d]), strides.push_back(a.strides()[d]);
  shape.push_back(length), strides.push_back(a.strides()[axis]);
  return Array(ArrayBody::view(a.body_ref(), shape, strides, first * a.strides()[axis]));
}

}  // namespace

// Long rows are scanned in parts: their totals first, which are scanned themselves, then each part from its total.
void CudaBackend::scan(Scan op, const Array& a, int axis, Array& out) {
  constexpr int64_t kPart = 8192;
  if (out.size() == 0) return;
  const int64_t n = a.shape()[axis], parts = n / kPart;
  if (op == Scan::cumprod && is_floating(out.dtype()) && !by_columns(n, out.size() / n))
    return running_products(a, axis, out);
  if (parts < 2 || out.size() / n >= 512 || a.ndim() == kMaxNdim) {
    Dims last_is_axis;
    for (int d = 0; d < a.ndim(); ++d)
      if (d != axis) last_is_axis.push_back(d);
    last_is_axis.push_back(axis);
    return scan_rows(op, a.transpose(last_is_axis), out.transpose(last_is_axis), {});
  }
  const Dtype wide = is_floating(out.dtype()) ? float64 : int64;
  const Array body = in_rows(a, axis, 0, parts, kPart);
  const int last = body.ndim() - 1;
  Shape kept(body.shape().begin(), body.shape().end() - 1), all = kept;
  all[0] = parts + 1;
  Array totals(kept, wide, out.device()), before(all, wide, out.device());
  reduce(op == Scan::cumprod ? Reduce::prod : Reduce::sum, body, Dims{last}, totals);
  Array first = in_rows(before, 0, 0, 1, 1), rest = in_rows(before, 0, 1, 1, parts);
  fill(first, op == Scan::cumprod ? 1 : 0);
  scan_rows(op, in_rows(totals, 0, 0, 1, parts), rest, {});
  scan_rows(op, body, in_rows(out, axis, 0, parts, kPart), before);
  if (n > parts * kPart)
    scan_rows(op, in_rows(a, axis, parts * kPart, 1, n - parts * kPart),
              in_rows(out, axis, parts * kPart, 1, n - parts * kPart), in_rows(before, 0, parts, 1, 1));
}

// Scans along the last axis, from totals of the other axes, if given.
void CudaBackend::scan_rows(Scan op, const Array& a, Array out, const Array& before) {
  const int axis = a.ndim() - 1;
  const Strides from = a.strides(), to = out.strides();
  const Shape rows(a.shape().begin(), a.shape().end() - 1);
  Strides in_rows, out_rows;
  for (int d = 0; d < axis; ++d) in_rows.push_back(from[d]), out_rows.push_back(to[d]);
  // The totals are numbered as the rows are.
  const auto loop = make_loop<2>(rows, {&in_rows, &out_rows}, 2, !before);
  ScanArgs args{};
  args.rows = space_of(loop);
  args.in = operand_of(loop, 0, a.raw(), a.dtype()), args.out = operand_of(loop, 1, out.mutable_raw(), out.dtype());
  args.n = a.shape()[axis];
  args.in_step = from[axis] * item_size(a.dtype()), args.out_step = to[axis] * item_size(out.dtype());
  args.product = op == Scan::cumprod;
  Array dense_before;
  if (before) dense_before = before.contiguous(), args.before = static_cast<const char*>(dense_before.raw());
  const bool floating = is_floating(out.dtype());
  const int index = out.device().index();
  if (by_columns(args.n, args.rows.size)) {
    const Threads t(args.rows.size);
    return launch(index, floating ? "scan_columns_float64" : "scan_columns_int64", t.grid, t.block, args);
  }
  launch(index, floating ? "scan_rows_float64" : "scan_rows_int64", {blocks_for(args.rows.size), 1, 1},
         {ScanArgs::kThreads, 1, 1}, args);
}

}  // namespace chainer::cuda
