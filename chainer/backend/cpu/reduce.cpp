// Reductions, along the axes closest in memory or across them; scans and softmax.
#include <vector>

#include "chainer/backend/common/loop.h"
#include "chainer/backend/cpu/accumulate.h"
#include "chainer/backend/cpu/parallel.h"

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

int64_t offset_of(const Loop<2>& loop, int array, int64_t index) {
  int64_t offset = 0;
  for (int d = 0; d < loop.ndim; ++d) {
    offset += index % loop.extent[d] * loop.stride[array][d];
    index /= loop.extent[d];
  }
  return offset;
}

// One output from reduced elements [begin, end).
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

// The reduced axes are closest in memory: each output is a run.
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
  // Long rows are cut into the same parts even when one thread does a whole row.
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

// A kept axis is closest in memory: rows are combined element by element, a tile of outputs at a time.
void reduce_across(const Plan& p) {
  const int64_t width = p.kept.extent[0], step = p.kept.stride[0][0];
  const bool same = stored_as(static_cast<Dtype>(p.in_dtype), p.c) && step == 1;
  const ColumnSink sink{p.op, p.c};
  const int64_t size = compute_size(p.c);
  const bool adjacent = same && p.reduced.ndim == 1 && p.reduced.stride[0][0] == width;
  struct Block {
    alignas(64) char data[kBlock * 8];
  };
  reduce_columns(
      p.k, p.kept.size / width, p.reduced.size, width, {&sink, 1}, [] { return Block(); },
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

void CpuBackend::arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) {
  const Strides strides = a.strides();
  Shape kept;
  Strides kept_in;
  for (int d = 0; d < a.ndim(); ++d)
    if (d != axis) kept.push_back(a.shape()[d]), kept_in.push_back(strides[d]);
  const Strides kept_out = contiguous_strides(kept);
  const Loop<2> loop = make_loop<2>(kept, {&kept_in, &kept_out}, 2);
  const int64_t n = a.shape()[axis], step = strides[axis];
  int64_t* o = out.mutable_data<int64_t>();
  visit(a.dtype(), "argmax", [&]<class T>() {
    using V = std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float, T>;
    const T* p = static_cast<const T*>(a.raw());
    parallel_ranges(loop.size, loop.size * n, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* x = p + offset_of(loop, 0, i);
        V best = x[0];
        int64_t at = 0;
        for (int64_t j = 1; j < n && best == best; ++j) {
          const V v = x[j * step];
          if ((op == ArgReduce::argmax ? v > best : v < best) || v != v) best = v, at = j;
        }
        o[offset_of(loop, 1, i)] = at;
      }
    });
  });
}

void CpuBackend::scan(Scan op, const Array& a, int axis, Array& out) {
  const Strides in = a.strides(), to = out.strides();
  Shape kept;
  Strides kept_in, kept_out;
  for (int d = 0; d < a.ndim(); ++d)
    if (d != axis) kept.push_back(a.shape()[d]), kept_in.push_back(in[d]), kept_out.push_back(to[d]);
  const Loop<2> loop = make_loop<2>(kept, {&kept_in, &kept_out}, 2);
  const int64_t n = a.shape()[axis];
  // Input and output have one dtype here; 16-bit types accumulate in float.
  visit<NumberTypes>(out.dtype(), "cumsum", [&]<class T>() {
    using V = std::conditional_t<std::is_floating_point_v<T> || std::is_integral_v<T>, T, float>;
    const T* p = static_cast<const T*>(a.raw());
    T* o = static_cast<T*>(out.mutable_raw());
    for (int64_t i = 0; i < loop.size; ++i) {
      const T* x = p + offset_of(loop, 0, i);
      T* y = o + offset_of(loop, 1, i);
      V total = op == Scan::cumsum ? V(0) : V(1);
      for (int64_t j = 0; j < n; ++j) {
        const V v = static_cast<V>(x[j * in[axis]]);
        total = static_cast<V>(op == Scan::cumsum ? total + v : total * v);
        y[j * to[axis]] = static_cast<T>(total);
      }
    }
  });
}

void CpuBackend::softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) {
  const Kernels& k = kernels();
  const Compute c = compute_type(a.dtype());
  const int in_type = static_cast<int>(a.dtype()), out_type = static_cast<int>(out.dtype());
  const int64_t item = item_size(a.dtype()), size = compute_size(c);
  const char* in = static_cast<const char*>(a.raw());
  char* to = static_cast<char*>(out.mutable_raw());
  const bool direct = inner == 1 && stored_as(a.dtype(), c);
  parallel_ranges(outer * inner, outer * n * inner, 1, [&](int64_t begin, int64_t end) {
    std::vector<char> row(direct ? 0 : static_cast<std::size_t>(n * size));
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = (r / inner * n * inner + r % inner) * item;
      if (direct) {
        k.softmax[c](to + at, in + at, n, log);
        continue;
      }
      k.load[c][in_type](row.data(), in + at, inner, n);
      k.softmax[c](row.data(), row.data(), n, log);
      k.store[c][out_type](to + at, inner, row.data(), n);
    }
  });
}

}  // namespace chainer::cpu
