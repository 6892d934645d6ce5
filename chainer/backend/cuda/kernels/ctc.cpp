// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/ctc.h"

#include <math.h>

namespace chainer::cuda {
namespace {

constexpr double kNever = -1e30;  // host_kernels::kImpossible

DEVICE double greater_of(double a, double b) { return a < b ? b : a; }

// The logarithm of exp(a) + exp(b) + exp(c), relative to the largest.
DEVICE double log_of_ways(double a, double b, double c) {
  const double top = greater_of(greater_of(a, b), c);
  return top + ::log(::exp(a - top) + (::exp(b - top) + ::exp(c - top)));
}

// An item of the batch.
struct CtcItem {
  const CtcArgs& a;
  int64_t item, length, steps;
  const int64_t* symbols;
  DEVICE CtcItem(const CtcArgs& args, int64_t b) : a(args), item(b) {
    length = a.path_length[b], steps = a.input_length[b], symbols = a.symbols + b * a.width;
  }
  /// The log probability of ways from s - 2: zero or impossible.
  DEVICE double skip(int64_t s) const {
    return s >= 2 && s < length && symbols[s] != a.blank && symbols[s] != symbols[s - 2] ? 0.0 : kNever;
  }
  DEVICE double emission(int64_t t, int64_t s) const {
    return greater_of(a.x[(t * a.batch + item) * a.vocabulary + symbols[s]], kNever);
  }
  DEVICE double* alpha(int64_t t) const { return a.alphas + (item * a.steps + t) * (a.width + 4) + 2; }
  DEVICE double* share(int64_t t) const { return a.shares + (item * a.steps + t) * a.width; }
  DEVICE double* next(int64_t t) const { return a.next + (item * 2 + t % 2) * a.width; }
};

}  // namespace

KERNEL(ctc_forward, CtcArgs) {
  for (int64_t b = blockIdx.x; b < a.batch; b += gridDim.x) {
    const CtcItem item(a, b);
    for (int64_t t = 0; t < item.steps; ++t) {
      double* const now = item.alpha(t);
      for (int64_t s = threadIdx.x; s < item.length; s += blockDim.x) {
        double ways = s < 2 ? 0.0 : kNever;
        if (t > 0) {
          const double* const before = item.alpha(t - 1);
          ways =
              log_of_ways(before[s], s >= 1 ? before[s - 1] : kNever, (s >= 2 ? before[s - 2] : kNever) + item.skip(s));
        }
        now[s] = ways + item.emission(t, s);
      }
      __syncthreads();
    }
    if (threadIdx.x != 0) continue;
    const double* const end = item.alpha(item.steps - 1) + item.length;  // after the last label and the blank after it
    const double label = item.length > 1 ? end[-2] : kNever, blank = end[-1], top = greater_of(label, blank);
    a.totals[b] = top + ::log(::exp(label - top) + ::exp(blank - top));
  }
}

KERNEL(ctc_backward, CtcArgs) {
  for (int64_t b = blockIdx.x; b < a.batch; b += gridDim.x) {
    const CtcItem item(a, b);
    const double total = a.totals[b];
    if (total < kNever / 2) continue;  // no path: ctc_gradient adds nothing
    const int64_t length = item.length;
    for (int64_t t = item.steps - 1; t >= 0; --t) {
      const double *const later = item.next(t + 1), *const alpha = item.alpha(t);
      for (int64_t s = threadIdx.x; s < length; s += blockDim.x) {
        double beta = s < length - 2 ? kNever : 0.0;
        if (t + 1 < item.steps)
          beta = log_of_ways(later[s], s + 1 < length ? later[s + 1] : kNever,
                             (s + 2 < length ? later[s + 2] : kNever) + item.skip(s + 2));
        item.share(t)[s] = ::exp(alpha[s] + beta - total);
        item.next(t)[s] = beta + item.emission(t, s);
      }
      __syncthreads();
    }
  }
}

// A thread for each of the sorted symbols; the first of equal ones adds all of them.
KERNEL(ctc_gradient, CtcArgs) {
  for (int64_t n = first_element(); n < a.batch * a.steps * a.width; n += element_step()) {
    const int64_t b = n / a.width / a.steps, t = n / a.width % a.steps;
    const CtcItem item(a, b);
    if (t >= item.steps || a.totals[b] < kNever / 2) continue;
    const int64_t* const order = a.order + b * a.width;
    int64_t k = n % a.width;
    const int64_t symbol = item.symbols[order[k]];
    if (k > 0 && item.symbols[order[k - 1]] == symbol) continue;
    double g = 0;
    for (; k < a.width && item.symbols[order[k]] == symbol; ++k)
      if (order[k] < item.length) g -= a.weights[b] * item.share(t)[order[k]];
    a.gx[(t * a.batch + b) * a.vocabulary + symbol] = g;
  }
}

}  // namespace chainer::cuda
