// SPDX-License-Identifier: MIT
// Attention, a block of queries of one head at a time: the blocks of keys are visited in order with a running maximum
// and sum, so that no row of scores is ever complete. (Dao, arXiv:2307.08691)
#include "chainer/backend/cpu/loops/attention.h"

#include "chainer/array/recording/step.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

using namespace cpu;

// Products of at most this many queries read the keys and values once; they are not packed.
constexpr int64_t kFewQueries = 4;

template <class T>
struct Forward {
  Forward(const AttentionCall& a_, std::span<const Array> in, std::span<Array> out)
      : a(a_),
        s(a.causal, in[0], in[1], in[2]),
        q(in[0]),
        k(in[1]),
        v(in[2]),
        mask(a.masked ? in[3] : Array()),
        dropping(a.dropout, a.drops ? in.back() : Array(), s.keys),
        y(out[0].mutable_data<T>()),
        top(out[1].mutable_data<T>()),
        inverse(out[2].mutable_data<T>()) {}

  void run() const {
    const int64_t blocks = (s.queries + kQueryBlock - 1) / kQueryBlock;
    // The last blocks of a causal head have the most keys: they come first.
    parallel(static_cast<int>(s.heads * blocks), s.heads * s.queries * s.keys, [&](int task) {
      const int64_t first = (blocks - 1 - task % blocks) * kQueryBlock;
      block(task / blocks, first, std::min(kQueryBlock, s.queries - first));
    });
  }

 private:
  void block(int64_t head, int64_t first, int64_t rows) const {
    const bool few = rows <= kFewQueries && k.row % s.d == 0 && v.row % s.e == 0;
    const Scratch<T> scores(rows * kKeyBlock), bias(kKeyBlock), part(s.e);
    PackedMatrix<T> keys(few ? 1 : kKeyBlock, s.d), values(s.e, few ? 1 : kKeyBlock);
    double tops[kQueryBlock], sums[kQueryBlock];
    std::fill_n(tops, rows, -HUGE_VAL);
    std::fill_n(sums, rows, 0.0);
    T* const to = y + (head * s.queries + first) * s.e;
    std::fill_n(to, rows * s.e, T(0));
    const T* const queries = q.at(head, first);
    int64_t places[kKeyBlock];
    for (int64_t at = 0; at < s.keys; at += kKeyBlock) {
      const int64_t n = s.seen(first + rows - 1, at, std::min(kKeyBlock, s.keys - at));
      if (n == 0) break;
      const T *some_keys = k.at(head / s.share, at), *some_values = v.at(head / s.share, at);
      if (few) {
        for (int64_t j = 0; j < n; ++j) places[j] = j * (k.row / s.d);
        for (int64_t r = 0; r < rows; ++r)
          kernels().rows_dot[kC](scores.data() + r * n, queries + r * q.row, some_keys, places, n, s.d, false);
      } else {
        keys.pack(some_keys, k.row, true, n, s.d);
        keys.multiply(rows, queries, q.row, 1, scores.data(), n, false);
      }
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t seen = s.seen(first + r, at, n);
        T* const p = scores.data() + r * n;
        const T* const added = mask.row(head, first + r, at, seen, bias.data());
        const double factor = attention_kernels().exponents[kC]({seen, n, a.scale, p, added}, tops[r], sums[r]);
        if (factor != 1)
          for (int64_t c = 0; c < s.e; ++c) to[r * s.e + c] *= static_cast<T>(factor);
        if (dropping.on) dropping.apply(head * s.queries + first + r, at, n, p, p);
      }
      if (few) {
        for (int64_t j = 0; j < n; ++j) places[j] = j * (v.row / s.e);
        for (int64_t r = 0; r < rows; ++r) {
          kernels().rows_combine[kC](part.data(), scores.data() + r * n, some_values, places, n, s.e, false);
          for (int64_t c = 0; c < s.e; ++c) to[r * s.e + c] += part.data()[c];
        }
      } else {
        values.pack(some_values, v.row, false, s.e, n);
        values.multiply(rows, scores.data(), n, 1, to, s.e, true);
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t row = head * s.queries + first + r;
      top[row] = tops[r] == -HUGE_VAL ? T(0) : static_cast<T>(tops[r]);
      inverse[row] = sums[r] == 0 ? T(0) : static_cast<T>(1 / sums[r]);
      for (int64_t c = 0; c < s.e; ++c) to[r * s.e + c] *= inverse[row];
    }
  }

  static constexpr Compute kC = compute_of<T>();
  const AttentionCall& a;
  AttentionSizes s;
  Matrices<T> q, k, v;
  MaskRows<T> mask;
  Dropping dropping;
  T *y, *top, *inverse;
};

// Rows without gaps between their elements.
Array with_rows(const Array& a) { return a.strides()[a.ndim() - 1] == 1 ? a : a.contiguous(); }

}  // namespace

Array attention(const Attention& a, const Array& q, const Array& k, const Array& v, Array& top, Array& inverse) {
  std::vector<Array> in{with_rows(q), with_rows(k), with_rows(v)};
  for (const Array& other : {a.mask, a.seed})
    if (other) in.push_back(other);
  Shape shape = q.shape();
  shape[shape.ndim() - 1] = v.shape(-1);
  Array out[] = {Array(shape, q.dtype()), top, inverse};
  recording::step(
      "attention", in, out,
      [a = AttentionCall(a), f64 = q.dtype() == Dtype::float64](std::span<const Array> i, std::span<Array> o) {
        if (f64)
          Forward<double>(a, i, o).run();
        else
          Forward<float>(a, i, o).run();
      },
      true);
  return out[0];
}

Array attention_dropout(const Attention& a, const Shape& shape, Dtype dtype) {
  Array factors = Array(shape, Dtype::float64);
  recording::step(
      "attention_dropout", {&a.seed, 1}, {&factors, 1},
      [ratio = a.dropout](std::span<const Array> in, std::span<Array> out) {
        const int64_t n = out[0].shape(-1);
        const Dropping dropping(ratio, in[0], n);
        double* to = out[0].mutable_data<double>();
        std::fill_n(to, out[0].size(), 1.0);
        for (int64_t row = 0; row < out[0].size() / n; ++row)
          for (int64_t at = 0; at < n; at += kKeyBlock) {
            double* const some = to + row * n + at;
            dropping.apply(row, at, std::min(kKeyBlock, n - at), some, some);
          }
      },
      true);
  return factors.astype(dtype, false);
}

}  // namespace chainer::host_kernels
