// SPDX-License-Identifier: MIT
// Means and variances of keys in blocks over threads, and their merging.
#include <algorithm>
#include <vector>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/kernels/image_table.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// The extents of x (outer, keys, inner): rows of keys if inner is one, otherwise runs.
struct Extent {
  explicit Extent(const Array& x) : outer(x.shape()[0]), keys(x.shape()[1]), inner(x.shape()[2]) {}
  int64_t outer, keys, inner;
};

// Rows are divided into blocks, and blocks into groups, by the shape only, so that sums do not depend on the number of
// threads; keys are divided into blocks of columns. Calls f(group, begin, end, column, columns) for each.
struct Tiles {
  explicit Tiles(const Extent& e)
      : blocks((e.outer + kMomentRows - 1) / kMomentRows),
        groups(std::clamp<int64_t>(blocks / 8, 1, 16)),
        columns((e.keys + kMomentKeys - 1) / kMomentKeys),
        extent(e) {}
  template <class F>
  void run(F&& f) const {
    parallel_ranges(groups * columns, extent.outer * extent.keys, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t group = i / columns, column = i % columns * kMomentKeys;
        f(group, blocks * group / groups, blocks * (group + 1) / groups, column,
          std::min(kMomentKeys, extent.keys - column));
      }
    });
  }
  int64_t rows(int64_t block) const { return std::min(kMomentRows, extent.outer - block * kMomentRows); }
  int64_t blocks, groups, columns;
  Extent extent;
};

// Merges the moments of m numbers into those of n, for each key.
void merge(double* mean, double* squares, int64_t n, const double* more_mean, const double* more_squares, int64_t m,
           int64_t keys) {
  const double part = static_cast<double>(m) / static_cast<double>(n + m), weight = part * static_cast<double>(n);
  for (int64_t k = 0; k < keys; ++k) {
    const double d = more_mean[k] - mean[k];
    mean[k] += d * part;
    squares[k] += more_squares[k] + d * d * weight;
  }
}

const char* at(const Array& a, int64_t element) {
  return static_cast<const char*>(a.raw()) + element * item_size(a.dtype());
}

}  // namespace

void CpuBackend::moments(const Array& x, Array& mean_, Array& squares_) {
  const Extent e(x);
  const Compute c = floating_compute_type(x.dtype(), "batch normalization");
  double *mean = mean_.mutable_data<double>(), *squares = squares_.mutable_data<double>();
  const ImageKernels& k = image_kernels();
  if (e.inner == 1) {
    const Tiles tiles(e);
    std::vector<double> sums(static_cast<std::size_t>(tiles.groups * e.keys * 2));
    double *means = sums.data(), *distances = means + tiles.groups * e.keys;
    tiles.run([&](int64_t group, int64_t begin, int64_t end, int64_t column, int64_t n) {
      double *m = means + group * e.keys + column, *s = distances + group * e.keys + column, block[2 * kMomentKeys];
      int64_t rows = 0;
      for (int64_t b = begin; b < end; ++b) {
        const bool first = b == begin;
        k.moments_rows[c](first ? m : block, first ? s : block + kMomentKeys, at(x, b * kMomentRows * e.keys + column),
                          tiles.rows(b), n, e.keys);
        if (!first) merge(m, s, rows, block, block + kMomentKeys, tiles.rows(b), n);
        rows += tiles.rows(b);
      }
    });
    std::copy(means, means + e.keys, mean);
    std::copy(distances, distances + e.keys, squares);
    const auto until = [&](int64_t group) {
      return std::min(tiles.blocks * group / tiles.groups * kMomentRows, e.outer);
    };
    for (int64_t g = 1; g < tiles.groups; ++g)
      merge(mean, squares, until(g), means + g * e.keys, distances + g * e.keys, until(g + 1) - until(g), e.keys);
    return;
  }
  constexpr int64_t kRun = 4096;
  parallel_ranges(e.keys, x.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t key = begin; key < end; ++key) {
      int64_t n = 0;
      for (int64_t o = 0; o < e.outer; ++o) {
        for (int64_t i = 0; i < e.inner; i += kRun) {
          const int64_t m = std::min(kRun, e.inner - i);
          double block[2];
          k.moments_run[c](block, block + 1, at(x, (o * e.keys + key) * e.inner + i), m);
          if (n == 0)
            mean[key] = block[0], squares[key] = block[1];
          else
            merge(mean + key, squares + key, n, block, block + 1, m, 1);
          n += m;
        }
      }
    }
  });
}

void CpuBackend::moments_grad(const Array& gy, const Array& x, const Array& mean_, Array& total_, Array& along_) {
  const Extent e(x);
  const Compute c = floating_compute_type(x.dtype(), "batch normalization");
  const double* mean = mean_.data<double>();
  double *total = total_.mutable_data<double>(), *along = along_.mutable_data<double>();
  std::fill(total, total + e.keys, 0.0);
  std::fill(along, along + e.keys, 0.0);
  const ImageKernels& k = image_kernels();
  (void)gy.raw();  // evaluated before threads read it
  if (e.inner == 1) {
    const Tiles tiles(e);
    std::vector<double> sums(static_cast<std::size_t>(tiles.groups * e.keys * 2));
    double *totals = sums.data(), *alongs = totals + tiles.groups * e.keys;
    tiles.run([&](int64_t group, int64_t begin, int64_t end, int64_t column, int64_t n) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t first = b * kMomentRows * e.keys + column;
        k.products_rows[c](totals + group * e.keys + column, alongs + group * e.keys + column, at(gy, first),
                           at(x, first), mean + column, tiles.rows(b), n, e.keys);
      }
    });
    for (int64_t i = 0; i < tiles.groups * e.keys; ++i) total[i % e.keys] += totals[i], along[i % e.keys] += alongs[i];
    return;
  }
  parallel_ranges(e.keys, x.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t key = begin; key < end; ++key)
      for (int64_t o = 0; o < e.outer; ++o) {
        const int64_t first = (o * e.keys + key) * e.inner;
        for (int64_t i = 0; i < e.inner; i += 1024)
          k.products_run[c](total + key, along + key, at(gy, first + i), at(x, first + i), mean[key],
                            std::min<int64_t>(1024, e.inner - i));
      }
  });
}

void CpuBackend::centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a,
                                      const Array& b, const Array& c_, Array& gx) {
  const Extent e(x);
  const Compute c = floating_compute_type(x.dtype(), "batch normalization");
  (void)gy.raw(), (void)x.raw();
  char* out = static_cast<char*>(gx.mutable_raw());
  const int64_t item = item_size(x.dtype());
  const ImageKernels& k = image_kernels();
  if (e.inner == 1) {
    const Array typed[] = {mean.astype(x.dtype(), false), a.astype(x.dtype(), false), b.astype(x.dtype(), false),
                           c_.astype(x.dtype(), false)};
    const void* p[] = {typed[0].raw(), typed[1].raw(), typed[2].raw(), typed[3].raw()};
    parallel_ranges(e.outer, x.size(), 1, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * e.keys;
      k.combine_rows[c](out + first * item, at(gy, first), at(x, first), p[0], p[1], p[2], p[3], end - begin, e.keys);
    });
    return;
  }
  const double *pm = mean.data<double>(), *pa = a.data<double>(), *pb = b.data<double>(), *pc = c_.data<double>();
  parallel_ranges(e.outer * e.keys, x.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t key = i % e.keys, first = i * e.inner;
      k.combine_run[c](out + first * item, at(gy, first), at(x, first), pm[key], pa[key], pb[key], pc[key], e.inner);
    }
  });
}

}  // namespace chainer::cpu
