// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/normalize.h"

#include <algorithm>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/array/recording/step.h"
#include "chainer/backend/cpu/kernels/row_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

using cpu::AffineRow;

cpu::Compute compute(const Array& a) { return a.dtype() == Dtype::float64 ? cpu::kF64 : cpu::kF32; }

template <class T>
const T* at(const Array& a, int64_t i) {
  return a.data<T>() + i;
}

// Sums per key over blocks of rows that depend on the shape only; each is computed in double, then they are added in
// order.
struct Blocks {
  explicit Blocks(const AffineRows& r)
      : channels(r.groups * r.keys), rows(std::max<int64_t>(16 * r.groups, (r.rows + 127) / 128)) {
    rows = (rows + r.groups - 1) / r.groups * r.groups;
    count = (r.rows + rows - 1) / rows;
    sums.resize(static_cast<std::size_t>(2 * count * channels));
  }
  double* of(int64_t block) { return sums.data() + 2 * block * channels; }
  int64_t channels, rows, count = 0;
  std::vector<double> sums;
};

// `in`: x, gamma, gy, mean, rstd; `out`: the gradients with respect to x, gamma and beta.
template <class T>
void affine_grad(const AffineRows& r, std::span<const Array> in, std::span<Array> out) {
  const Array &x = in[0], &gamma = in[1], &gy = in[2], &mean = in[3], &rstd = in[4];
  const int64_t n = r.keys * r.run;
  T* gx = out[0].mutable_data<T>();
  Blocks blocks(r);
  const T *px = at<T>(x, 0), *pgamma = at<T>(gamma, 0), *pgy = at<T>(gy, 0);
  const double *pmean = at<double>(mean, 0), *prstd = at<double>(rstd, 0);
  const auto kernel = cpu::row_kernels().affine_grad[compute(x)];
  cpu::parallel_ranges(blocks.count, x.size() * 2, 1, [&](int64_t begin, int64_t end) {
    std::vector<T> few(r.run == 1 ? static_cast<std::size_t>(2 * blocks.channels) : 0);
    for (int64_t b = begin; b < end; ++b) {
      double* const sums = blocks.of(b);
      const int64_t first = b * blocks.rows, last = std::min(r.rows, first + blocks.rows);
      // Runs of one element are added in T over 16 rows per group before they are added to the block's sums.
      int64_t held = 0;
      const auto widen = [&] {
        for (std::size_t i = 0; i < few.size(); ++i) sums[i] += static_cast<double>(few[i]), few[i] = 0;
        held = 0;
      };
      for (int64_t row = first; row < last; ++row) {
        const int64_t key = row % r.groups * r.keys;
        double m = pmean[row], s = prstd[row];
        AffineRow k{.keys = r.keys, .run = r.run, .eps = r.eps, .x = px + row * n, .gamma = pgamma + key};
        k.gy = pgy + row * n, k.out = gx + row * n, k.mean = &m, k.rstd = &s;
        if (r.run == 1)
          k.by_gamma = few.data() + key, k.by_beta = few.data() + blocks.channels + key;
        else
          k.by_gamma = sums + key, k.by_beta = sums + blocks.channels + key;
        kernel(k);
        if (r.run == 1 && ++held == 16 * r.groups) widen();
      }
      widen();
    }
  });
  T *ggamma = out[1].mutable_data<T>(), *gbeta = out[2].mutable_data<T>();
  double* const all = blocks.of(0);
  for (int64_t k = 1; k < blocks.count; ++k)
    for (int64_t i = 0; i < 2 * blocks.channels; ++i) all[i] += blocks.of(k)[i];
  for (int64_t i = 0; i < blocks.channels; ++i) {
    ggamma[i] = static_cast<T>(all[i]);
    gbeta[i] = static_cast<T>(all[blocks.channels + i]);
  }
}

// `in`: x, gamma, beta; `out`: y, mean, rstd.
void affine(const AffineRows& r, std::span<const Array> in, std::span<Array> out) {
  const int64_t item = item_size(in[0].dtype()), bytes = r.keys * r.run * item;
  const char *px = static_cast<const char*>(in[0].raw()), *pg = static_cast<const char*>(in[1].raw());
  const char* pb = static_cast<const char*>(in[2].raw());
  char* py = static_cast<char*>(out[0].mutable_raw());
  double *m = out[1].mutable_data<double>(), *s = out[2].mutable_data<double>();
  const auto kernel = cpu::row_kernels().affine[compute(in[0])];
  cpu::parallel_ranges(r.rows, in[0].size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t key = row % r.groups * r.keys * item;
      AffineRow k{.keys = r.keys, .run = r.run, .eps = r.eps, .x = px + row * bytes, .gamma = pg + key};
      k.beta = pb + key, k.out = py + row * bytes, k.mean = m + row, k.rstd = s + row;
      kernel(k);
    }
  });
}

// `in`: x, gamma; `out`: y, rstd.
void rms(double eps, std::span<const Array> in, std::span<Array> out) {
  const int64_t n = in[1].size(), bytes = n * item_size(in[0].dtype());
  const char* px = static_cast<const char*>(in[0].raw());
  char* py = static_cast<char*>(out[0].mutable_raw());
  double* s = out[1].mutable_data<double>();
  const auto kernel = cpu::row_kernels().rms[compute(in[0])];
  cpu::parallel_ranges(in[0].size() / n, in[0].size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      AffineRow k{.keys = n, .run = 1, .eps = eps, .x = px + row * bytes, .gamma = in[1].raw()};
      k.out = py + row * bytes, k.rstd = s + row;
      kernel(k);
    }
  });
}

// `in`: x, gamma, gy, rstd; `out`: the gradients with respect to x and gamma.
template <class T>
void rms_grad(std::span<const Array> in, std::span<Array> out) {
  const int64_t n = in[1].size(), count = in[0].size() / n;
  const T *px = at<T>(in[0], 0), *pgamma = at<T>(in[1], 0), *pgy = at<T>(in[2], 0);
  const double* prstd = at<double>(in[3], 0);
  T* gx = out[0].mutable_data<T>();
  Blocks blocks({.rows = count, .groups = 1, .keys = n, .run = 1, .eps = 0});
  const auto kernel = cpu::row_kernels().rms_grad[compute(in[0])];
  cpu::parallel_ranges(blocks.count, in[0].size() * 2, 1, [&](int64_t begin, int64_t end) {
    std::vector<T> few(static_cast<std::size_t>(n));
    for (int64_t b = begin; b < end; ++b) {
      double* const sums = blocks.of(b);
      const int64_t first = b * blocks.rows, last = std::min(count, first + blocks.rows);
      for (int64_t row = first; row < last; ++row) {
        double s = prstd[row];
        AffineRow k{.keys = n, .run = 1, .eps = 0, .x = px + row * n, .gamma = pgamma};
        k.gy = pgy + row * n, k.out = gx + row * n, k.rstd = &s, k.by_gamma = few.data();
        kernel(k);
        if ((row - first) % 16 != 15 && row + 1 < last) continue;  // added in T over 16 rows, then in double
        for (std::size_t i = 0; i < few.size(); ++i) sums[i] += static_cast<double>(few[i]), few[i] = 0;
      }
    }
  });
  T* ggamma = out[1].mutable_data<T>();
  double* const all = blocks.of(0);
  for (int64_t k = 1; k < blocks.count; ++k)
    for (int64_t i = 0; i < n; ++i) all[i] += blocks.of(k)[i];
  for (int64_t i = 0; i < n; ++i) ggamma[i] = static_cast<T>(all[i]);
}

void gradient_of_softmax(bool log, const Array& gy, const Array& y, Array& gx) {
  const int64_t n = y.shape(-1), bytes = n * item_size(y.dtype());
  const char *g = static_cast<const char*>(gy.raw()), *in = static_cast<const char*>(y.raw());
  char* out = static_cast<char*>(gx.mutable_raw());
  const auto kernel = cpu::row_kernels().softmax_grad[compute(y)];
  cpu::parallel_ranges(n ? y.size() / n : 0, y.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) kernel(out + i * bytes, g + i * bytes, in + i * bytes, n, log);
  });
}

}  // namespace

bool takes_rows(const Array& a) {
  return a.device().is_host() && a.is_contiguous() && (a.dtype() == Dtype::float32 || a.dtype() == Dtype::float64);
}

Array softmax_grad(bool log, const Array& gy, const Array& y) {
  Array gx(y.shape(), y.dtype());
  const Array in[] = {gy, y};
  recording::step(
      "softmax_grad", in, {&gx, 1},
      [log](std::span<const Array> x, std::span<Array> out) { gradient_of_softmax(log, x[0], x[1], out[0]); }, true);
  return gx;
}

Array affine_rows(const AffineRows& r, const Array& x, const Array& gamma, const Array& beta, Array& mean,
                  Array& rstd) {
  const Array in[] = {x, gamma, beta};
  Array out[] = {Array(x.shape(), x.dtype()), mean, rstd};
  recording::step(
      "affine_rows", in, out, [r](std::span<const Array> i, std::span<Array> o) { affine(r, i, o); }, true);
  return out[0];
}

Arrays affine_rows_grad(const AffineRows& r, const Array& x, const Array& gamma, const Array& gy, const Array& mean,
                        const Array& rstd) {
  const Array in[] = {x, gamma, gy, mean, rstd};
  Arrays out{Array(x.shape(), x.dtype()), Array(gamma.shape(), gamma.dtype()), Array(gamma.shape(), gamma.dtype())};
  recording::step(
      "affine_rows_grad", in, {out.data(), out.size()},
      [r, grad = x.dtype() == Dtype::float64 ? affine_grad<double> : affine_grad<float>](
          std::span<const Array> i, std::span<Array> o) { grad(r, i, o); },
      true);
  return out;
}

Array rms_rows(const Array& x, const Array& gamma, double eps, Array& rstd) {
  const Array in[] = {x, gamma};
  Array out[] = {Array(x.shape(), x.dtype()), rstd};
  recording::step(
      "rms_rows", in, out, [eps](std::span<const Array> i, std::span<Array> o) { rms(eps, i, o); }, true);
  return out[0];
}

Arrays rms_rows_grad(const Array& x, const Array& gamma, const Array& gy, const Array& rstd) {
  const Array in[] = {x, gamma, gy, rstd};
  Arrays out{Array(x.shape(), x.dtype()), Array(gamma.shape(), gamma.dtype())};
  recording::step(
      "rms_rows_grad", in, {out.data(), out.size()},
      [grad = x.dtype() == Dtype::float64 ? rms_grad<double> : rms_grad<float>](std::span<const Array> i,
                                                                                std::span<Array> o) { grad(i, o); },
      true);
  return out;
}

}  // namespace chainer::host_kernels
