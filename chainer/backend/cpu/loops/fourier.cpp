// SPDX-License-Identifier: MIT
// Fourier transforms of rows: plans, and Bluestein's algorithm for lengths with large prime factors.
// kernels/fourier.cpp has the steps.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "chainer/array/host_kernels/fourier.h"
#include "chainer/backend/cpu/kernels/row_table.h"
#include "chainer/core/parallel.h"

namespace chainer {
namespace {

constexpr int64_t kLargestRadix = 13;

template <class T>
auto kernel() {
  if constexpr (sizeof(T) == 4)
    return cpu::fourier_kernels().float32;
  else
    return cpu::fourier_kernels().float64;
}

/// Returns exp(-2 pi i k / n), with the same precision near every quarter of the circle.
std::pair<double, double> root(int64_t k, int64_t n) {
  k %= n;
  const int64_t eighth = 8 * k / n;
  const double angle = 2 * std::numbers::pi / static_cast<double>(n);
  // The angle from the nearest quarter; the numerator is in units of a quarter of the step 2 pi / n.
  const int64_t quarter = (eighth + 1) / 2;
  const double rest = angle * (static_cast<double>(4 * k - quarter * n) / 4);
  const double c = std::cos(rest), s = std::sin(rest);
  switch (quarter % 4) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

/// The real parts of n complex numbers, followed by their imaginary parts.
template <class T>
struct Parts {
  explicit Parts(int64_t count = 0) : n(count), all(static_cast<std::size_t>(2 * count)) {}
  T* re() { return all.data(); }
  T* im() { return all.data() + n; }
  void set(int64_t i, std::pair<double, double> v) {
    re()[i] = static_cast<T>(v.first);
    im()[i] = static_cast<T>(v.second);
  }
  int64_t n;
  std::vector<T> all;
};

template <class T>
class Plan {
 public:
  explicit Plan(int64_t n) : n_(n), work_(n) {
    int64_t rest = n, left = n;
    // Factors of eight come first, so that the loops of the following steps vectorise.
    for (const int64_t radix : {8, 4, 2, 5, 3})
      while (rest % radix == 0 && rest > 1) rest /= radix, add(radix, left);
    for (int64_t radix = 7; radix <= kLargestRadix; radix += 2)
      while (rest % radix == 0) rest /= radix, add(radix, left);
    if (rest > 1) plan_convolution();
  }
  int64_t length() const { return n_; }

  void transform(const T* xr, const T* xi, T* yr, T* yi) {
    if (longer_) return by_convolution(xr, xi, yr, yi);
    if (steps_.empty()) {
      std::copy(xr, xr + n_, yr);
      std::copy(xi, xi + n_, yi);
    }
    int64_t s = 1, left = n_;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Step& step = steps_[i];
      const bool to_result = (steps_.size() - i) % 2 == 1;
      T *to_r = to_result ? yr : work_.re(), *to_i = to_result ? yi : work_.im();
      left /= step.radix;
      kernel<T>()({.radix = step.radix,
                   .m = left,
                   .s = s,
                   .xr = xr,
                   .xi = xi,
                   .yr = to_r,
                   .yi = to_i,
                   .wr = step.factors.re(),
                   .wi = step.factors.im(),
                   .root_r = step.roots.re(),
                   .root_i = step.roots.im()});
      s *= step.radix;
      xr = to_r, xi = to_i;
    }
  }

 private:
  struct Step {
    int64_t radix;
    Parts<T> factors, roots;
  };
  void add(int64_t radix, int64_t& left) {
    const int64_t m = left / radix;
    Step step{radix, Parts<T>(left), Parts<T>(radix)};
    for (int64_t j = 0; j < radix; ++j)
      for (int64_t p = 0; p < m; ++p) step.factors.set(j * m + p, root(j * p, left));
    for (int64_t j = 0; j < radix; ++j) step.roots.set(j, root(j, radix));
    steps_.push_back(std::move(step));
    left = m;
  }
  // With j k = (j^2 + k^2 - (k - j)^2) / 2, a transform is a convolution with c[j] = exp(pi i j^2 / n), multiplied by
  // its conjugate before and after. The convolution uses transforms of a power of two.
  void plan_convolution() {
    steps_.clear();
    int64_t m = 1;
    while (m < 2 * n_ - 1) m *= 2;
    longer_ = std::make_unique<Plan>(m);
    chirp_ = Parts<T>(n_);
    filter_ = Parts<T>(m);
    Parts<T> c(m);
    int64_t square = 0;  // j^2 modulo 2 n
    for (int64_t j = 0; j < n_; ++j) {
      const auto [re, im] = root(square, 2 * n_);
      chirp_.set(j, {re, im});
      for (const int64_t at : {j, (m - j) % m}) c.set(at, {re / static_cast<double>(m), -im / static_cast<double>(m)});
      square = (square + 2 * j + 1) % (2 * n_);
    }
    longer_->transform(c.re(), c.im(), filter_.re(), filter_.im());
    in_ = Parts<T>(m), out_ = Parts<T>(m);
  }
  void by_convolution(const T* xr, const T* xi, T* yr, T* yi) {
    const T *cr = chirp_.re(), *ci = chirp_.im();
    T *ar = in_.re(), *ai = in_.im(), *br = out_.re(), *bi = out_.im();
    std::fill(in_.all.begin(), in_.all.end(), T(0));
    for (int64_t i = 0; i < n_; ++i) {
      ar[i] = xr[i] * cr[i] - xi[i] * ci[i];
      ai[i] = xr[i] * ci[i] + xi[i] * cr[i];
    }
    longer_->transform(ar, ai, br, bi);
    const T *fr = filter_.re(), *fi = filter_.im();
    for (int64_t i = 0; i < in_.n; ++i) {
      const T re = br[i] * fr[i] - bi[i] * fi[i], im = br[i] * fi[i] + bi[i] * fr[i];
      br[i] = re, bi[i] = im;
    }
    longer_->transform(bi, br, ai, ar);  // swapped parts give the inverse transform
    for (int64_t i = 0; i < n_; ++i) {
      yr[i] = ar[i] * cr[i] - ai[i] * ci[i];
      yi[i] = ar[i] * ci[i] + ai[i] * cr[i];
    }
  }
  int64_t n_;
  std::vector<Step> steps_;
  Parts<T> work_;
  std::unique_ptr<Plan> longer_;
  Parts<T> chirp_, filter_, in_, out_;
};

// The plans of a thread's last lengths: computing their factors takes longer than transforming a row.
using Plans = std::tuple<std::unique_ptr<Plan<float>>, std::unique_ptr<Plan<double>>>;
Plans& last_plans() {
  // Through a pointer: the Python module has little room for memory of threads.
  thread_local const auto own = std::make_unique<Plans>();
  return *own;
}

template <class T>
void transform(const host_kernels::ComplexRows<T>& r, bool inverse, double scale) {
  if (r.n == 0) return;
  cpu::parallel_ranges(r.rows, r.rows * r.n * 4, 1, [&](int64_t begin, int64_t end) {
    auto& plan = std::get<std::unique_ptr<Plan<T>>>(last_plans());
    if (!plan || plan->length() != r.n) plan = std::make_unique<Plan<T>>(r.n);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t at = row * r.n;
      if (inverse)
        plan->transform(r.xi + at, r.xr + at, r.yi + at, r.yr + at);
      else
        plan->transform(r.xr + at, r.xi + at, r.yr + at, r.yi + at);
      if (scale == 1) continue;
      const T factor = static_cast<T>(scale);
      for (int64_t i = at; i < at + r.n; ++i) r.yr[i] *= factor;
      for (int64_t i = at; i < at + r.n; ++i) r.yi[i] *= factor;
    }
  });
}

}  // namespace

namespace host_kernels {

void fourier(const ComplexRows<float>& r, bool inverse, double scale) { transform(r, inverse, scale); }
void fourier(const ComplexRows<double>& r, bool inverse, double scale) { transform(r, inverse, scale); }

}  // namespace host_kernels
}  // namespace chainer
