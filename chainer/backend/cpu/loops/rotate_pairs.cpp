// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/rotate_pairs.h"

#include <algorithm>
#include <vector>

#include "chainer/array/recording/step.h"
#include "chainer/core/ivdep.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

template <class T>
void rotate_row(const T* x, const T* c, const T* s, T sign, bool interleaved, int64_t n, T* y) {
  if (interleaved) {
    for (int64_t i = 0; i < n; ++i) {
      const T a = x[2 * i], b = x[2 * i + 1], t = sign * s[i];
      y[2 * i] = a * c[i] - b * t;
      y[2 * i + 1] = b * c[i] + a * t;
    }
    return;
  }
  CHAINER_IVDEP
  for (int64_t i = 0; i < n; ++i) {
    const T a = x[i], b = x[i + n], t = sign * s[i];
    y[i] = a * c[i] - b * t;
    y[i + n] = b * c[i] + a * t;
  }
}

// Which row of the tables each row of x has.
std::vector<int64_t> table_rows(const Shape& x, const Shape& table) {
  const int64_t axes = x.ndim() - 1, missing = x.ndim() - table.ndim();
  std::vector<int64_t> rows{0};
  int64_t step = 1;
  for (int64_t d = axes - 1; d >= 0; --d) {
    const int64_t length = x[d], own = d >= missing ? table[d - missing] : 1,
                  before = static_cast<int64_t>(rows.size());
    std::vector<int64_t> all(static_cast<std::size_t>(before * length));
    for (int64_t i = 0; i < length; ++i)
      for (int64_t r = 0; r < before; ++r)
        all[static_cast<std::size_t>(i * before + r)] = rows[static_cast<std::size_t>(r)] + (own > 1 ? i * step : 0);
    rows = std::move(all);
    step *= own;
  }
  return rows;
}

template <class T>
void rotate(std::span<const Array> in, Array& y, bool interleaved, bool backwards) {
  const int64_t size = in[0].shape(-1), n = in[1].shape(-1);
  const T *x = in[0].data<T>(), *c = in[1].data<T>(), *s = in[2].data<T>();
  T* to = y.mutable_data<T>();
  const std::vector<int64_t> rows = table_rows(in[0].shape(), in[1].shape());
  cpu::parallel_ranges(static_cast<int64_t>(rows.size()), in[0].size() * 2, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = rows[static_cast<std::size_t>(r)] * n;
      rotate_row(x + r * size, c + at, s + at, static_cast<T>(backwards ? -1 : 1), interleaved, n, to + r * size);
      std::copy(x + r * size + 2 * n, x + (r + 1) * size, to + r * size + 2 * n);
    }
  });
}

}  // namespace

Array rotate_pairs(const Array& x, const Array& cosine, const Array& sine, bool interleaved, bool backwards) {
  Array y(x.shape(), x.dtype());
  const Array in[] = {x, cosine, sine};
  recording::step(
      "rotate_pairs", in, {&y, 1},
      [interleaved, backwards, f = x.dtype() == Dtype::float64 ? rotate<double> : rotate<float>](
          std::span<const Array> i, std::span<Array> o) { f(i, o[0], interleaved, backwards); },
      true);
  return y;
}

}  // namespace chainer::host_kernels
