// SPDX-License-Identifier: MIT
// The loops of elementwise operations: blocks are converted and gathered into the compute type if necessary, a kernel
// runs over them, and the result is converted and scattered. Dense operands of the compute type are used in place.
// Copies between memory orders are done in tiles.
#include <cstring>

#include "chainer/array/operations/ops.h"
#include "chainer/backend/common/loop.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

struct Operand {
  char* data;
  int64_t item;
  int dtype;
  Compute compute;
  bool direct;     // dense and of the compute type: accessed in place by kernels
  int64_t period;  // elements repeat after this many; up to a block, filled once; 0: not periodic
};

constexpr int kOperands = 4;

void run_range(const Kernels& k, ElementKernel kernel, const Operand* ops, int count, const Loop<kOperands>& loop,
               int64_t begin, int64_t end) {
  alignas(64) char blocks[kOperands][2 * kBlock * 8];
  const auto gather = [&](int i, int64_t at, int64_t n) {
    const Operand& o = ops[i];
    const int64_t size = compute_size(o.compute);
    loop.walk(i, at, n, [&](int64_t offset, int64_t position, int64_t run) {
      k.load[o.compute][o.dtype](blocks[i] + position * size, o.data + offset * o.item, loop.stride[i][0], run);
    });
  };
  for (int i = 1; i < count; ++i) {
    const int64_t period = ops[i].period, size = compute_size(ops[i].compute);
    if (period == 0) continue;
    if (period == 1) {
      k.load[ops[i].compute][ops[i].dtype](blocks[i], ops[i].data, 0, std::min(kBlock, end - begin));
      continue;
    }
    gather(i, 0, period);
    const int64_t all = (std::min(kBlock, end - begin) + period) * size;
    for (int64_t have = period * size; have < all; have *= 2)
      std::memcpy(blocks[i] + have, blocks[i], static_cast<std::size_t>(std::min(have, all - have)));
  }
  const int64_t out_size = compute_size(ops[0].compute);
  for (int64_t at = begin; at < end; at += kBlock) {
    const int64_t n = std::min(kBlock, end - at);
    const void* in[kOperands] = {};
    for (int i = 1; i < count; ++i) {
      const Operand& o = ops[i];
      if (o.direct) {
        in[i] = o.data + at * o.item;
        continue;
      }
      in[i] = blocks[i];
      if (o.period)
        in[i] = blocks[i] + at % o.period * compute_size(o.compute);
      else
        gather(i, at, n);
    }
    const Operand& o = ops[0];
    void* out = o.direct ? static_cast<void*>(o.data + at * o.item) : blocks[0];
    kernel(out, in[1], in[2], in[3], n);
    if (o.direct) continue;
    loop.walk(0, at, n, [&](int64_t offset, int64_t position, int64_t run) {
      k.store[o.compute][o.dtype](o.data + offset * o.item, loop.ndim ? loop.stride[0][0] : 1,
                                  blocks[0] + position * out_size, run);
    });
  }
}

// Copies between two memory orders, in squares over the axes that are contiguous on either side.
bool copy_by_tiles(const Kernels& k, const Operand* ops, const Loop<kOperands>& loop) {
  const Operand &to = ops[0], &from = ops[1];
  int across = 0;  // the axis that is contiguous in the source
  for (int d = 1; d < loop.ndim; ++d)
    if (loop.stride[1][d] == 1) across = d;
  if (across == 0 || loop.stride[0][0] != 1 || loop.stride[1][0] == 0) return false;
  const int64_t m = loop.extent[0], n = loop.extent[across];
  if (m < 2 || n < 2 || to.dtype != from.dtype) return false;
  const auto transpose = k.transpose[to.item];
  // Squares of at most 64 KiB on each side; with strides of large powers of two, a column can use few cache lines.
  const int64_t side = 512 / to.item, rows = (m + side - 1) / side, columns = (n + side - 1) / side;
  parallel_ranges(loop.size / m / n * rows * columns, loop.size, 1, [&](int64_t begin, int64_t end) {
    for (int64_t job = begin; job < end; ++job) {
      const int64_t i = job % rows * side, j = job / rows % columns * side;
      int64_t rest = job / rows / columns;
      int64_t at[2] = {i + j * loop.stride[0][across], i * loop.stride[1][0] + j};
      for (int d = 1; d < loop.ndim; ++d) {
        if (d == across) continue;
        for (int array = 0; array < 2; ++array) at[array] += rest % loop.extent[d] * loop.stride[array][d];
        rest /= loop.extent[d];
      }
      transpose(to.data + at[0] * to.item, loop.stride[0][across], from.data + at[1] * from.item, loop.stride[1][0],
                std::min(side, m - i), std::min(side, n - j));
    }
  });
  return true;
}

}  // namespace

void CpuBackend::elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) {
  if (out.size() == 0) return;
  const Kernels& k = kernels();
  const Compute c = compute_type(compute);
  const ElementKernel kernel = k.elementwise[c][static_cast<int>(op)];
  if (!kernel) throw DtypeError(chainer::name(op), ": not defined for dtype ", compute);
  const int count = static_cast<int>(inputs.size()) + 1;

  // The common case, a single run over dense arrays of the compute type, needs no plan.
  bool simple =
      category(op) != Category::compare && op != Elementwise::where && out.is_contiguous() && stored_as(out.dtype(), c);
  for (const Array* a : inputs) simple = simple && a->is_contiguous() && a->dtype() == out.dtype();
  if (simple) {
    const int64_t item = compute_size(c);
    const char* in[3] = {};
    for (int i = 0; i < count - 1; ++i) in[i] = static_cast<const char*>(inputs[i]->raw());
    char* o = static_cast<char*>(out.mutable_raw());
    return parallel_ranges(out.size(), out.size(), 64, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * item;
      kernel(o + at, in[0] + at, in[1] ? in[1] + at : nullptr, in[2] ? in[2] + at : nullptr, end - begin);
    });
  }

  Strides strides[kOperands];
  std::array<const Strides*, kOperands> pointers{};
  Operand operands[kOperands];
  for (int i = 0; i < count; ++i) {
    const Array& a = i ? *inputs[i - 1] : out;
    Compute type = c;
    if (i == 0 && category(op) == Category::compare) type = kMask;
    if (i == 1 && op == Elementwise::where) type = kMask;
    strides[i] = a.strides();
    pointers[i] = &strides[i];
    char* data = static_cast<char*>(i ? const_cast<void*>(a.raw()) : out.mutable_raw());
    operands[i] = {data, item_size(a.dtype()), static_cast<int>(a.dtype()), type, false, 0};
  }
  const Loop<kOperands> loop = make_loop<kOperands>(out.shape(), pointers, count);
  for (int i = 0; i < count; ++i) {
    const Dtype d = static_cast<Dtype>(operands[i].dtype);
    // An output mask may be written in place; the bytes of an input mask must first be normalized to 0 or 1.
    const bool same = operands[i].compute == kMask ? i == 0 && d == Dtype::bool_ : stored_as(d, operands[i].compute);
    operands[i].direct = same && loop.dense(i);
    if (i == 0 || operands[i].direct) continue;
    int64_t period = 1, inside = 1;
    for (int axis = 0; axis < loop.ndim; ++axis) {
      inside *= loop.extent[axis];
      if (loop.stride[i][axis] != 0) period = inside;
    }
    operands[i].period = period <= kBlock && period < loop.size ? period : 0;
  }
  if (op == Elementwise::copy && copy_by_tiles(k, operands, loop)) return;
  parallel_ranges(loop.size, loop.size, kBlock,
                  [&](int64_t begin, int64_t end) { run_range(k, kernel, operands, count, loop, begin, end); });
}

}  // namespace chainer::cpu
