// SPDX-License-Identifier: MIT
// Gradients of attention. The probabilities of a block of queries and a block of keys are computed again from the
// scores. A task has the keys of one group of heads; if there are few groups, it has a part of the queries, and the
// parts' gradients with respect to keys and values are added in order. The split depends on lengths only.
#include "chainer/backend/cpu/loops/attention.h"

#include "chainer/array/recording/step.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

using namespace cpu;

constexpr int64_t kTasks = 16;  // enough groups for one task each

template <class T>
struct Backward {
  Backward(const AttentionCall& a_, std::span<const Array> in, std::span<Array> out)
      : a(a_),
        s(a.causal, in[0], in[1], in[2]),
        q(in[0]),
        k(in[1]),
        v(in[2]),
        y(in[3].data<T>()),
        gy(in[4].data<T>()),
        top(in[5].data<T>()),
        inverse(in[6].data<T>()),
        mask(a.masked ? in[7] : Array()),
        dropping(a.dropout, a.drops ? in.back() : Array(), s.keys),
        gq(out[0].mutable_data<T>()),
        gk(out[1].mutable_data<T>()),
        gv(out[2].mutable_data<T>()),
        along(static_cast<std::size_t>(s.heads * s.queries)),
        groups(s.heads / s.share),
        blocks((s.queries + kQueryBlock - 1) / kQueryBlock),
        parts(std::clamp<int64_t>((kTasks + groups - 1) / groups, 1, s.share * blocks)),
        sums(parts > 1 ? groups * parts * s.keys * (s.d + s.e) : 0) {}

  void run() {
    const int64_t work = s.heads * s.queries * s.keys;
    parallel_ranges(s.heads * s.queries, s.heads * s.queries * s.e, 1, [&](int64_t begin, int64_t end) {
      std::fill_n(gq + begin * s.d, (end - begin) * s.d, T(0));
      for (int64_t row = begin; row < end; ++row)
        along[static_cast<std::size_t>(row)] = attention_kernels().dot[kC](y + row * s.e, gy + row * s.e, s.e);
    });
    parallel(static_cast<int>(groups * parts), work, [&](int task) {
      const int64_t group = task / parts, part = task % parts, all = s.share * blocks;
      T *to_k = gk + group * s.keys * s.d, *to_v = gv + group * s.keys * s.e;
      if (parts > 1) {
        to_k = sums.data() + task * s.keys * (s.d + s.e);
        to_v = to_k + s.keys * s.d;
      }
      Task(*this).run(group, all * part / parts, all * (part + 1) / parts, to_k, to_v);
    });
    if (parts > 1) add_parts();
  }

 private:
  // The scratch memory of a task.
  struct Task {
    explicit Task(const Backward& b_)
        : b(b_),
          s(b_.s),
          p(kQueryBlock * kKeyBlock),
          dropped(b.dropping.on ? kQueryBlock * kKeyBlock : 1),
          g(kQueryBlock * kKeyBlock),
          bias(kKeyBlock),
          keys_across(kKeyBlock, s.d),
          keys(s.d, kKeyBlock),
          values_across(kKeyBlock, s.e),
          queries(s.d, kQueryBlock),
          grads(s.e, kQueryBlock) {}

    // The blocks of queries [begin, end) of the group's heads.
    void run(int64_t group, int64_t begin, int64_t end, T* to_k, T* to_v) {
      for (int64_t at = 0; at < s.keys; at += kKeyBlock) {
        const int64_t n = std::min(kKeyBlock, s.keys - at);
        const T *some_keys = b.k.at(group, at), *some_values = b.v.at(group, at);
        keys_across.pack(some_keys, b.k.row, true, n, s.d);
        keys.pack(some_keys, b.k.row, false, s.d, n);
        values_across.pack(some_values, b.v.row, true, n, s.e);
        bool add = false;
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i % b.blocks * kQueryBlock, rows = std::min(kQueryBlock, s.queries - first);
          if (s.seen(first + rows - 1, at, n) == 0) continue;
          block(group * s.share + i / b.blocks, first, rows, at, n, to_k + at * s.d, to_v + at * s.e, add);
          add = true;
        }
        if (add) continue;
        std::fill_n(to_k + at * s.d, n * s.d, T(0));
        std::fill_n(to_v + at * s.e, n * s.e, T(0));
      }
    }

    void block(int64_t head, int64_t first, int64_t rows, int64_t at, int64_t n, T* to_k, T* to_v, bool add) {
      const int64_t begin = head * s.queries + first;
      const T *some_queries = b.q.at(head, first), *some_grads = b.gy + begin * s.e;
      keys_across.multiply(rows, some_queries, b.q.row, 1, p.data(), n, false);
      values_across.multiply(rows, some_grads, s.e, 1, g.data(), n, false);
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t seen = s.seen(first + r, at, n), row = begin + r;
        T *const pr = p.data() + r * n, *const gr = g.data() + r * n;
        const T* const added = b.mask.row(head, first + r, at, seen, bias.data());
        attention_kernels().probabilities[kC]({seen, n, b.a.scale, pr, added}, static_cast<double>(b.top[row]),
                                              static_cast<double>(b.inverse[row]));
        if (b.dropping.on) {
          b.dropping.apply(row, at, n, pr, dropped.data() + r * n);
          b.dropping.apply(row, at, n, gr, gr);
        }
        attention_kernels().scores_grad[kC]({seen, n, b.a.scale, gr, nullptr}, pr,
                                            b.along[static_cast<std::size_t>(row)]);
      }
      grads.pack(some_grads, s.e, false, s.e, rows);
      grads.multiply(n, b.dropping.on ? dropped.data() : p.data(), 1, n, to_v, s.e, add);
      keys.multiply(rows, g.data(), n, 1, b.gq + begin * s.d, s.d, true);
      queries.pack(some_queries, b.q.row, false, s.d, rows);
      queries.multiply(n, g.data(), 1, n, to_k, s.d, add);
    }

    const Backward& b;
    const AttentionSizes& s;
    Scratch<T> p, dropped, g, bias;
    PackedMatrix<T> keys_across, keys, values_across, queries, grads;
  };

  void add_parts() const {
    const int64_t length = s.keys * (s.d + s.e);
    parallel_ranges(groups, groups * parts * length, 1, [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group) {
        T* const sum = sums.data() + group * parts * length;
        for (int64_t part = 1; part < parts; ++part)
          for (int64_t i = 0; i < length; ++i) sum[i] += sum[part * length + i];
        std::copy_n(sum, s.keys * s.d, gk + group * s.keys * s.d);
        std::copy_n(sum + s.keys * s.d, s.keys * s.e, gv + group * s.keys * s.e);
      }
    });
  }

  static constexpr Compute kC = compute_of<T>();
  const AttentionCall& a;
  AttentionSizes s;
  Matrices<T> q, k, v;
  const T *y, *gy, *top, *inverse;
  MaskRows<T> mask;
  Dropping dropping;
  T *gq, *gk, *gv;
  std::vector<double> along;
  int64_t groups, blocks, parts;
  Scratch<T> sums;
};

Array rows_together(const Array& a) { return a.strides()[a.ndim() - 1] == 1 ? a : a.contiguous(); }

}  // namespace

Arrays attention_grad(const Attention& a, const Array& q, const Array& k, const Array& v, const Array& y,
                      const Array& gy, const Array& top, const Array& inverse) {
  std::vector<Array> in{rows_together(q), rows_together(k), rows_together(v), y, gy.contiguous(), top, inverse};
  for (const Array& other : {a.mask, a.seed})
    if (other) in.push_back(other);
  Arrays out{Array(q.shape(), q.dtype()), Array(k.shape(), k.dtype()), Array(v.shape(), v.dtype())};
  recording::step(
      "attention_grad", in, {out.data(), out.size()},
      [a = AttentionCall(a), f64 = q.dtype() == Dtype::float64](std::span<const Array> i, std::span<Array> o) {
        if (f64)
          Backward<double>(a, i, o).run();
        else
          Backward<float>(a, i, o).run();
      },
      true);
  return out;
}

}  // namespace chainer::host_kernels
