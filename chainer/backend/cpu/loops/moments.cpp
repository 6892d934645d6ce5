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

// Returns the number of the kernels for a dtype. Those for float32 read other dtypes of 16 bits in converted blocks.
int kernels_for(Dtype d) {
  const bool direct = d == bfloat16 && image_kernels().moments_run[kBfloatMoments];
  return direct ? kBfloatMoments : static_cast<int>(floating_compute_type(d, "batch normalization"));
}

// Reads blocks of an array as kernels need them: where they are, or converted from 16 bits to a block that stays in the
// first-level cache.
class Blocks {
 public:
  explicit Blocks(const Array& a)
      : data_(static_cast<const char*>(a.raw())),
        item_(item_size(a.dtype())),
        load_(item_ == 2 && kernels_for(a.dtype()) == kF32 ? cpu::kernels().load[kF32][static_cast<int>(a.dtype())]
                                                           : nullptr) {}
  bool converts() const { return load_; }
  /// Returns `rows` rows of n elements, the first at `first`, whose distance is `stride`; in `room` their distance is
  /// n.
  const void* rows(int64_t first, int64_t rows, int64_t n, int64_t stride, float* room) const {
    const char* from = data_ + first * item_;
    if (!load_) return from;
    if (n == stride) n *= rows, rows = 1;
    for (int64_t r = 0; r < rows; ++r) load_(room + r * n, from + r * stride * item_, 1, n);
    return room;
  }
  const void* run(int64_t first, int64_t n, float* room) const { return rows(first, 1, n, n, room); }

 private:
  const char* data_;
  int64_t item_;
  LoadKernel load_;
};
constexpr int64_t kMomentBlock = kMomentRows * kMomentKeys;

}  // namespace

void CpuBackend::moments(const Array& x, Array& mean_, Array& squares_) {
  const Extent e(x);
  const int c = kernels_for(x.dtype());
  double *mean = mean_.mutable_data<double>(), *squares = squares_.mutable_data<double>();
  const ImageKernels& k = image_kernels();
  const Blocks xs(x);
  if (e.inner == 1) {
    const Tiles tiles(e);
    std::vector<double> sums(static_cast<std::size_t>(tiles.groups * e.keys * 2));
    double *means = sums.data(), *distances = means + tiles.groups * e.keys;
    tiles.run([&](int64_t group, int64_t begin, int64_t end, int64_t column, int64_t n) {
      double *m = means + group * e.keys + column, *s = distances + group * e.keys + column, block[2 * kMomentKeys];
      float room[kMomentBlock];
      int64_t rows = 0;
      for (int64_t b = begin; b < end; ++b) {
        const bool first = b == begin;
        k.moments_rows[c](first ? m : block, first ? s : block + kMomentKeys,
                          xs.rows(b * kMomentRows * e.keys + column, tiles.rows(b), n, e.keys, room), tiles.rows(b), n,
                          xs.converts() ? n : e.keys);
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
          float room[kRun];
          k.moments_run[c](block, block + 1, xs.run((o * e.keys + key) * e.inner + i, m, room), m);
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
  const int c = kernels_for(x.dtype());
  const double* mean = mean_.data<double>();
  double *total = total_.mutable_data<double>(), *along = along_.mutable_data<double>();
  std::fill(total, total + e.keys, 0.0);
  std::fill(along, along + e.keys, 0.0);
  const ImageKernels& k = image_kernels();
  const Blocks gs(gy), xs(x);
  if (e.inner == 1) {
    const Tiles tiles(e);
    std::vector<double> sums(static_cast<std::size_t>(tiles.groups * e.keys * 2));
    double *totals = sums.data(), *alongs = totals + tiles.groups * e.keys;
    tiles.run([&](int64_t group, int64_t begin, int64_t end, int64_t column, int64_t n) {
      float room[2][kMomentBlock];
      for (int64_t b = begin; b < end; ++b) {
        const int64_t first = b * kMomentRows * e.keys + column, rows = tiles.rows(b);
        k.products_rows[c](totals + group * e.keys + column, alongs + group * e.keys + column,
                           gs.rows(first, rows, n, e.keys, room[0]), xs.rows(first, rows, n, e.keys, room[1]),
                           mean + column, rows, n, xs.converts() ? n : e.keys);
      }
    });
    for (int64_t i = 0; i < tiles.groups * e.keys; ++i) total[i % e.keys] += totals[i], along[i % e.keys] += alongs[i];
    return;
  }
  parallel_ranges(e.keys, x.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t key = begin; key < end; ++key)
      for (int64_t o = 0; o < e.outer; ++o) {
        const int64_t first = (o * e.keys + key) * e.inner;
        for (int64_t i = 0; i < e.inner; i += kBlock) {
          const int64_t n = std::min(kBlock, e.inner - i);
          float room[2][kBlock];
          k.products_run[c](total + key, along + key, gs.run(first + i, n, room[0]), xs.run(first + i, n, room[1]),
                            mean[key], n);
        }
      }
  });
}

namespace {

// Calls f(first, n, to, g, x) for blocks of a run of `count` elements, where g and x are read in the compute type, and
// what f writes to `to` is rounded to gx.
template <class F>
void combine_blocks(const Blocks& gs, const Blocks& xs, Array& gx, int64_t first, int64_t count, F&& f) {
  const int64_t item = item_size(gx.dtype());
  char* const out = static_cast<char*>(gx.mutable_raw()) + first * item;
  if (!xs.converts()) return f(0, count, out, gs.run(first, count, nullptr), xs.run(first, count, nullptr));
  const StoreKernel round = kernels().store[kF32][static_cast<int>(gx.dtype())];
  float room[3][kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    f(i, n, room[2], gs.run(first + i, n, room[0]), xs.run(first + i, n, room[1]));
    round(out + i * item, 1, room[2], n);
  }
}

}  // namespace

void CpuBackend::centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a,
                                      const Array& b, const Array& c_, Array& gx) {
  const Extent e(x);
  const int c = kernels_for(x.dtype());
  const Blocks gs(gy), xs(x);
  gx.mutable_raw();
  const ImageKernels& k = image_kernels();
  if (e.inner == 1) {
    const Dtype d = compute_dtype(x.dtype());
    const Array typed[] = {mean.astype(d, false), a.astype(d, false), b.astype(d, false), c_.astype(d, false)};
    const void* p[] = {typed[0].raw(), typed[1].raw(), typed[2].raw(), typed[3].raw()};
    // Whole rows, as many at a time as fit into a block; parts of longer rows.
    const int64_t together = xs.converts() ? std::max<int64_t>(1, kBlock / e.keys) : e.outer;
    parallel_ranges(e.outer, x.size(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; r += together) {
        const int64_t rows = std::min(together, end - r);
        combine_blocks(gs, xs, gx, r * e.keys, rows * e.keys,
                       [&](int64_t first, int64_t n, void* to, const void* g, const void* v) {
                         const auto key = [&](int i) { return static_cast<const char*>(p[i]) + first * item_size(d); };
                         const bool whole = n == rows * e.keys;
                         k.combine_rows[c](to, g, v, key(0), key(1), key(2), key(3), whole ? rows : 1,
                                           whole ? e.keys : n);
                       });
      }
    });
    return;
  }
  const double *pm = mean.data<double>(), *pa = a.data<double>(), *pb = b.data<double>(), *pc = c_.data<double>();
  parallel_ranges(e.outer * e.keys, x.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      combine_blocks(gs, xs, gx, i * e.inner, e.inner,
                     [&, key = i % e.keys](int64_t, int64_t n, void* to, const void* g, const void* v) {
                       k.combine_run[c](to, g, v, pm[key], pa[key], pb[key], pc[key], n);
                     });
  });
}

}  // namespace chainer::cpu
