// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/ctc.h"

#include <algorithm>
#include <cmath>

#include "chainer/array/host_kernels/exp_log.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

// The recurrences of one item of the batch, on plain numbers. Rows lie between two impossible elements on each side.
class Lattice {
 public:
  Lattice(const CtcPaths& p, int64_t b)
      : steps_(p.input_length.data<int64_t>()[b]),
        length_(p.path_length.data<int64_t>()[b]),
        pitch_(p.width() + 4),
        symbols_(p.symbols.data<int64_t>() + b * p.width()),
        skip_(static_cast<std::size_t>(length_ + 2), kImpossible),
        block_(static_cast<std::size_t>(3 * length_)),
        top_(static_cast<std::size_t>(length_)) {
    for (int64_t s = 2; s < length_; ++s)
      if (p.skips(b, s)) skip_[static_cast<std::size_t>(s)] = 0;
  }
  /// All ways to each symbol after each step; x are log probabilities (steps, vocabulary), `stride` from step to step.
  double forward(const double* x, int64_t stride, double* alpha) {
    std::fill_n(alpha, steps_ * pitch_, kImpossible);
    for (int64_t t = 0; t < steps_; ++t) {
      double* now = alpha + t * pitch_ + 2;
      if (t == 0) {
        for (int64_t s = 0; s < std::min<int64_t>(2, length_); ++s) now[s] = 0;
      } else {
        const double* before = now - pitch_;
        add_ways(before, before - 1, before - 2, skip_.data(), now);
      }
      for (int64_t s = 0; s < length_; ++s) now[s] += emission(x, stride, t, s);
    }
    const double* end = alpha + (steps_ - 1) * pitch_ + length_;  // the last label or the blank after it
    const double a = length_ > 1 ? end[0] : kImpossible, b = end[1], top = std::max(a, b);
    return top + std::log(std::exp(a - top) + std::exp(b - top));
  }
  /// gx -= weight times the probability of each symbol at each step, given the labels.
  void backward(const double* x, int64_t stride, const double* alpha, double total, double weight, double* gx) {
    std::vector<double> beta(static_cast<std::size_t>(length_)),
        next(static_cast<std::size_t>(length_ + 4), kImpossible);
    for (int64_t s = 0; s < length_; ++s) beta[static_cast<std::size_t>(s)] = s < length_ - 2 ? kImpossible : 0;
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      const double* now = alpha + t * pitch_ + 2;
      for (int64_t s = 0; s < length_; ++s)
        block_[static_cast<std::size_t>(s)] = now[s] + beta[static_cast<std::size_t>(s)] - total;
      exp(block_.data(), length_);
      for (int64_t s = 0; s < length_; ++s)
        gx[t * stride + symbols_[s]] -= weight * block_[static_cast<std::size_t>(s)];
      double* ahead = next.data() + 2;
      for (int64_t s = 0; s < length_; ++s) ahead[s] = beta[static_cast<std::size_t>(s)] + emission(x, stride, t, s);
      if (t) add_ways(ahead, ahead + 1, ahead + 2, skip_.data() + 2, beta.data());
    }
  }

 private:
  double emission(const double* x, int64_t stride, int64_t t, int64_t s) const {
    return std::max(x[t * stride + symbols_[s]], kImpossible);  // also of logits that were set to minus infinity
  }
  // out = log(exp(a) + exp(b) + exp(c + penalty)), relative to the largest
  void add_ways(const double* a, const double* b, const double* c, const double* penalty, double* out) {
    double *d = block_.data(), *top = top_.data();
    const int64_t n = length_;
    for (int64_t s = 0; s < n; ++s) {
      const double z = c[s] + penalty[s], m = std::max(std::max(a[s], b[s]), z);
      top[s] = m, d[s] = a[s] - m, d[n + s] = b[s] - m, d[2 * n + s] = z - m;
    }
    exp(d, 3 * n);
    for (int64_t s = 0; s < n; ++s) d[s] += d[n + s] + d[2 * n + s];
    log(d, n);
    for (int64_t s = 0; s < n; ++s) out[s] = top[s] + d[s];
  }

  int64_t steps_, length_, pitch_;
  const int64_t* symbols_;
  std::vector<double> skip_, block_, top_;
};

}  // namespace

void ctc_forward(const CtcPaths& paths, const Array& x, Array& alphas, Array& totals) {
  const int64_t vocabulary = x.shape()[2], batch = paths.batch(), each = alphas.size() / std::max<int64_t>(batch, 1);
  const double* p = x.data<double>();
  double *alpha = alphas.mutable_data<double>(), *total = totals.mutable_data<double>();
  cpu::parallel_ranges(batch, x.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      total[b] = Lattice(paths, b).forward(p + b * vocabulary, batch * vocabulary, alpha + b * each);
  });
}

void ctc_backward(const CtcPaths& paths, const Array& x, const Array& alphas, const Array& totals, const Array& weights,
                  Array& gx) {
  const int64_t vocabulary = x.shape()[2], batch = paths.batch(), each = alphas.size() / std::max<int64_t>(batch, 1);
  const double *p = x.data<double>(), *weight = weights.data<double>(), *alpha = alphas.data<double>();
  const double* total = totals.data<double>();
  double* out = gx.mutable_data<double>();
  cpu::parallel_ranges(batch, x.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      if (total[b] < kImpossible / 2) continue;
      Lattice(paths, b).backward(p + b * vocabulary, batch * vocabulary, alpha + b * each, total[b], weight[b],
                                 out + b * vocabulary);
    }
  });
}

}  // namespace chainer::host_kernels
