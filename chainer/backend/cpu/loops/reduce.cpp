// SPDX-License-Identifier: MIT
// Reductions, along the contiguous axes or across them.
#include <algorithm>
#include <vector>

#include "chainer/backend/common/loop.h"
#include "chainer/backend/cpu/loops/accumulate.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

struct Plan {
  const Kernels& k;
  Reduce op;
  Compute c;
  const char* in;
  int64_t in_item;
  int in_dtype;
  char* out;
  int64_t out_item;
  Dtype out_dtype;
  Loop<2> kept;     // stride 0: input, stride 1: output
  Loop<2> reduced;  // stride 0: input
};

// Reduces elements [begin, end) for one output.
Accumulator reduce_run(const Plan& p, const char* base, int64_t begin, int64_t end) {
  alignas(64) char block[kBlock * 8];
  Accumulator a = Accumulator::start(p.op);
  const bool direct = stored_as(static_cast<Dtype>(p.in_dtype), p.c) && p.reduced.dense(0);
  const int64_t size = compute_size(p.c);
  for (int64_t at = begin; at < end; at += kBlock) {
    const int64_t n = std::min(kBlock, end - at);
    if (direct) {
      a.add_block(p.k, p.op, p.c, base + at * p.in_item, n);
      continue;
    }
    p.reduced.walk(0, at, n, [&](int64_t offset, int64_t position, int64_t run) {
      p.k.load[p.c][p.in_dtype](block + position * size, base + offset * p.in_item,
                                p.reduced.ndim ? p.reduced.stride[0][0] : 1, run);
    });
    a.add_block(p.k, p.op, p.c, block, n);
  }
  return a;
}

// The reduced axes are contiguous: each output reduces a run.
void reduce_rows(const Plan& p) {
  const int64_t outputs = p.kept.size, length = p.reduced.size;
  if (outputs < thread_count() && length >= kParallelElements) {
    const int64_t parts = (length + kPart - 1) / kPart;
    std::vector<Accumulator> partial(static_cast<std::size_t>(parts));
    for (int64_t o = 0; o < outputs; ++o) {
      const char* base = p.in + offset_of(p.kept, 0, o) * p.in_item;
      parallel_ranges(parts, length, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          partial[static_cast<std::size_t>(i)] = reduce_run(p, base, i * kPart, std::min(length, (i + 1) * kPart));
      });
      Accumulator total = Accumulator::start(p.op);
      for (const Accumulator& a : partial) total.add_part(p.op, p.c, a);
      total.store(p.k, p.c, p.out_dtype, p.out + offset_of(p.kept, 1, o) * p.out_item);
    }
    return;
  }
  // Long rows are split into the same parts even if one thread processes a whole row.
  parallel_ranges(outputs, outputs * length, 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      const char* base = p.in + offset_of(p.kept, 0, o) * p.in_item;
      Accumulator total = Accumulator::start(p.op);
      for (int64_t at = 0; at < length; at += kPart) {
        const Accumulator a = reduce_run(p, base, at, std::min(length, at + kPart));
        total.add_part(p.op, p.c, a);
      }
      total.store(p.k, p.c, p.out_dtype, p.out + offset_of(p.kept, 1, o) * p.out_item);
    }
  });
}

// A kept axis is contiguous: rows are combined elementwise, one tile of outputs at a time.
void reduce_across(const Plan& p) {
  const int64_t width = p.kept.extent[0], step = p.kept.stride[0][0];
  const bool same = stored_as(static_cast<Dtype>(p.in_dtype), p.c) && step == 1;
  const ColumnReduction reduction{p.op, p.c};
  const int64_t size = compute_size(p.c);
  const bool adjacent = same && p.reduced.ndim == 1 && p.reduced.stride[0][0] == width;
  struct Block {
    alignas(64) char data[kBlock * 8];
  };
  reduce_columns(
      p.k, p.kept.size / width, p.reduced.size, width, {&reduction, 1}, adjacent, [] { return Block(); },
      [&](Block& block, const ColumnBlock& b, ColumnAccumulator* sum) {
        const int64_t column = offset_of(p.kept, 0, b.outer * width + b.first);
        const auto row = [&](int64_t r) { return p.in + (column + offset_of(p.reduced, 0, b.row + r)) * p.in_item; };
        if (adjacent || (same && b.rows == 1)) return sum->add_rows(p.k, p.op, p.c, row(0), b);
        for (int64_t r = 0; r < b.rows; ++r)
          p.k.load[p.c][p.in_dtype](block.data + r * b.width * size, row(r), step, b.width);
        sum->add_rows(p.k, p.op, p.c, block.data, b);
      },
      [&](int64_t o, int64_t first, int64_t n, const ColumnAccumulator* sum) {
        sum->store(p.k, p.op, p.c, p.out_dtype, p.out + offset_of(p.kept, 1, o * width + first) * p.out_item,
                   p.kept.stride[1][0], n);
      });
}

}  // namespace

void CpuBackend::reduce(Reduce op, const Array& a, const Dims& axes, Array& out) {
  const Kernels& k = kernels();
  const Compute c = compute_type(a.dtype());
  const Strides in = a.strides(), out_full = out.strides();
  const bool keepdims = out.ndim() == a.ndim();
  Shape kept_shape, reduced_shape;
  Strides kept_in, kept_out, reduced_in;
  int position = 0;
  for (int d = 0; d < a.ndim(); ++d) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (is_reduced) {
      reduced_shape.push_back(a.shape()[d]);
      reduced_in.push_back(in[d]);
    } else {
      kept_shape.push_back(a.shape()[d]);
      kept_in.push_back(in[d]);
      kept_out.push_back(out_full[keepdims ? d : position]);
    }
    if (!is_reduced || keepdims) ++position;
  }
  Plan p{k,
         op,
         c,
         static_cast<const char*>(a.raw()),
         item_size(a.dtype()),
         static_cast<int>(a.dtype()),
         static_cast<char*>(out.mutable_raw()),
         item_size(out.dtype()),
         out.dtype(),
         make_loop<2>(kept_shape, {&kept_in, &kept_out}, 2),
         make_loop<2>(reduced_shape, {&reduced_in, &reduced_in}, 2)};
  if (p.kept.size == 0) return;
  if (p.reduced.size == 0) {
    out.fill(op == Reduce::prod ? 1 : 0);
    return;
  }
  const int64_t inner_kept = p.kept.ndim ? std::abs(p.kept.stride[0][0]) : INT64_MAX;
  const int64_t inner_reduced = p.reduced.ndim ? std::abs(p.reduced.stride[0][0]) : 0;
  if (p.reduced.ndim && inner_kept != 0 && inner_kept < inner_reduced) return reduce_across(p);
  reduce_rows(p);
}

}  // namespace chainer::cpu
