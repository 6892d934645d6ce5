// SPDX-License-Identifier: MIT
#include "chainer/array/operations/ops.h"
#include "chainer/backend/cpu/loops/accumulate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace chainer::cpu {
namespace {

constexpr int64_t kRow = 256;

ElementKernel combine_kernel(const Kernels& k, Reduce op, Compute c) {
  const Elementwise e = op == Reduce::sum    ? Elementwise::add
                        : op == Reduce::prod ? Elementwise::multiply
                        : op == Reduce::max  ? Elementwise::maximum
                                             : Elementwise::minimum;
  return k.elementwise[c][static_cast<int>(e)];
}

}  // namespace

Accumulator Accumulator::start(Reduce op) {
  Accumulator a;
  if (op == Reduce::prod) a.d = 1, a.i = 1;
  if (op == Reduce::max) a.d = -INFINITY, a.i = std::numeric_limits<int64_t>::min();
  if (op == Reduce::min) a.d = INFINITY, a.i = std::numeric_limits<int64_t>::max();
  return a;
}

void Accumulator::add(Reduce op, Compute c, double v, int64_t w) {
  if (c == kI64) {
    const auto wrap = [](uint64_t x) { return static_cast<int64_t>(x); };
    if (op == Reduce::sum) i = wrap(static_cast<uint64_t>(i) + static_cast<uint64_t>(w));
    if (op == Reduce::prod) i = wrap(static_cast<uint64_t>(i) * static_cast<uint64_t>(w));
    if (op == Reduce::max) i = std::max(i, w);
    if (op == Reduce::min) i = std::min(i, w);
  } else if (op == Reduce::sum) {
    const double s = d + v;
    if (std::isfinite(s)) compensation += std::abs(d) >= std::abs(v) ? (d - s) + v : (v - s) + d;
    d = s;
  } else if (op == Reduce::prod) {
    d *= v;
  } else if (op == Reduce::max) {
    d = v > d || v != v ? v : d;
  } else {
    d = v < d || v != v ? v : d;
  }
}

void Accumulator::add_block(const Kernels& k, Reduce op, Compute c, const void* block, int64_t n) {
  // Float sums stay short: sums of kRow elements are added in double.
  const int64_t step = c == kF32 && op == Reduce::sum ? kRow : n;
  for (int64_t at = 0; at < n; at += step) {
    double v = 0;
    int64_t w = 0;
    k.row[c][static_cast<int>(op)](c == kI64 ? static_cast<void*>(&w) : &v,
                                   static_cast<const char*>(block) + at * compute_size(c), std::min(step, n - at));
    add(op, c, v, w);
  }
}

void Accumulator::add_part(Reduce op, Compute c, const Accumulator& part) {
  add(op, c, part.d, part.i);
  if (op == Reduce::sum) compensation += part.compensation;
}

void Accumulator::store(const Kernels& k, Compute c, Dtype dtype, void* to) const {
  const double v = std::isfinite(d) ? d + compensation : d;
  if (c == kI64)
    k.store[kI64][static_cast<int>(dtype)](to, 1, &i, 1);
  else
    k.store[kF64][static_cast<int>(dtype)](to, 1, &v, 1);
}

void ColumnAccumulator::add_rows(const Kernels& k, Reduce op, Compute c, const void* rows, const ColumnBlock& b) {
  const ColumnKernel combine = k.columns[c][static_cast<int>(op)];
  const auto* x = static_cast<const char*>(rows);
  const bool sums = wide(op, c);
  if (sums && b.few) return k.sum_few_columns(reinterpret_cast<double*>(sums_), rows, b.width, b.rows, b.index == 0);
  const int64_t end = b.index + b.rows;
  for (int64_t i = b.index; i < end;) {
    const int64_t stop = sums ? std::min(end, i / kGroup * kGroup + kGroup) : end;
    combine(acc_, x, b.step, b.width, stop - i, i == 0 || (sums && i % kGroup == 0));
    x += (stop - i) * b.step * compute_size(c);
    i = stop;
    if (!sums || (i % kGroup && i != b.count)) continue;
    k.widen_columns(reinterpret_cast<double*>(sums_), acc_, b.width, i <= kGroup);
  }
}

void ColumnAccumulator::merge(const Kernels& k, Reduce op, Compute c, const ColumnAccumulator& later, int64_t n) {
  if (wide(op, c))
    combine_kernel(k, Reduce::sum, kF64)(sums_, sums_, later.sums_, nullptr, n);
  else
    combine_kernel(k, op, c)(acc_, acc_, later.acc_, nullptr, n);
}

void ColumnAccumulator::store(const Kernels& k, Reduce op, Compute c, Dtype dtype, void* to, int64_t stride,
                              int64_t n) const {
  const bool sums = wide(op, c);
  k.store[sums ? kF64 : c][static_cast<int>(dtype)](to, stride, sums ? sums_ : acc_, n);
}

}  // namespace chainer::cpu
