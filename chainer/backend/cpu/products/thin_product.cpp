// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/products/thin_product.h"

#include <algorithm>
#include <vector>

#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/products/blas.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kFewMultiplications = 16384;  // products with fewer multiplications gain nothing by packing
// The kernel has no set-up, so even pieces of so many multiplications are worth a thread.
constexpr int64_t kOwnThinPiece = int64_t(1) << 16, kThinUnit = 64, kMostThinPieces = 8;
constexpr int64_t kConvertedInCache = int64_t(1) << 16;  // elements of the large matrix that are converted at a time

// The product as the kernel computes it: the transposed one if there are few columns.
template <class P>
struct ThinRows {
  bool flipped;
  int64_t rows, columns, step, b_step;
  bool apart;  // elements of a row are not contiguous
  bool b_transposed;
  explicit ThinRows(const P& p)
      : flipped(p.m > kThinRows),
        rows(flipped ? p.n : p.m),
        columns(flipped ? p.m : p.n),
        step(flipped ? p.ldb : p.lda),
        b_step(flipped ? p.lda : p.ldb),
        apart(flipped ? !p.tb : p.ta),
        b_transposed(flipped ? !p.ta : p.tb) {}
  ThinProduct task(const P& p) const {
    return {.rows = rows,
            .k = p.k,
            .a = nullptr,
            .b = nullptr,
            .b_step = b_step,
            .b_transposed = b_transposed,
            .out = nullptr,
            .out_row = flipped ? 1 : p.ldc,
            .out_column = flipped ? p.ldc : 1,
            .alpha = p.alpha,
            .beta = p.beta};
  }
};

}  // namespace

// Inner products of several rows end in many sums over lanes; there packing pays, unless the product is small.
bool is_thin(int64_t m, int64_t n, int64_t k, bool a_transposed, bool b_transposed) {
  const bool inner_products = m > kThinRows ? !a_transposed : b_transposed;
  const int64_t rows = std::min(m, n);
  return rows <= kThinRows && (rows == 1 || !inner_products || m * n * k <= kFewMultiplications) &&
         !library_is_chosen();
}

void multiply_thin(const Problem<float>& p) {
  const ThinRows r(p);
  ThinProduct t = r.task(p);
  t.a = r.flipped ? p.b : p.a, t.b = r.flipped ? p.a : p.b, t.out = p.c;
  std::vector<float> rows_together;
  if (r.apart || (r.rows > 1 && r.step != p.k)) {
    rows_together.resize(static_cast<std::size_t>(r.rows * p.k));
    for (int64_t i = 0; i < r.rows; ++i)
      for (int64_t l = 0; l < p.k; ++l)
        rows_together[static_cast<std::size_t>(i * p.k + l)] = r.apart ? t.a[l * r.step + i] : t.a[i * r.step + l];
    t.a = rows_together.data();
  }
  const int64_t units = blocks_of(r.columns, kThinUnit), work = r.rows * r.columns * p.k;
  // (The split does not change the bits of this kernel, so all threads may get equal shares.)
  const int64_t threads = thread_count(),
                most = std::min({work / kOwnThinPiece, units, std::max(threads, kMostThinPieces)});
  const int64_t pieces = most > threads ? most / threads * threads : std::max<int64_t>(most, 1);
  parallel(static_cast<int>(pieces), work, [&](int piece) {
    kernels().thin_product(t, units * piece / pieces * kThinUnit,
                           std::min(r.columns, units * (piece + 1) / pieces * kThinUnit));
  });
}

void multiply_thin(const HalfProblem& p) {
  const ThinRows r(p);
  const uint16_t *const a = r.flipped ? p.b : p.a, *const b = r.flipped ? p.a : p.b;
  const LoadKernel load = kernels().load[kF32][static_cast<int>(p.dtype)];
  // Whole columns, or parts of the inner axis, so that conversions are of many elements.
  const int64_t width = r.b_transposed
                            ? std::clamp(kConvertedInCache / p.k / kThinUnit, int64_t(1), int64_t(8)) * kThinUnit
                            : 8 * kThinUnit;
  const int64_t inner = r.b_transposed ? p.k : kConvertedInCache / width;
  const ScratchBuffer rows(r.rows * p.k);  // part by part
  for (int64_t from = 0; from < p.k; from += inner)
    for (int64_t i = 0, n = std::min(inner, p.k - from); i < r.rows; ++i)
      load(rows.data() + from * r.rows + i * n, a + (r.apart ? from * r.step + i : i * r.step + from),
           r.apart ? r.step : 1, n);
  parallel_ranges(r.columns, r.columns * p.k, kThinUnit, [&](int64_t begin, int64_t end) {
    const ScratchBuffer part(std::min(width, end - begin) * std::min(inner, p.k)), sums(r.rows * width);
    ThinProduct t = r.task(p);
    t.b = part.data(), t.out = sums.data(), t.out_row = width, t.out_column = 1;
    for (; begin < end; begin += width) {
      const int64_t columns = std::min(width, end - begin);
      const auto each_row = [&](auto&& move) {
        for (int64_t i = 0; i < r.rows; ++i) {
          const int64_t at = r.flipped ? begin * p.ldc + i : i * p.ldc + begin;
          move(static_cast<char*>(p.c) + at * static_cast<int64_t>(item_size(p.c_dtype)), sums.data() + i * width);
        }
      };
      const int64_t stride = r.flipped ? p.ldc : 1;
      const auto type = static_cast<int>(p.c_dtype);
      if (p.beta != 0)
        each_row([&](const void* out, float* sum) { kernels().load[kF32][type](sum, out, stride, columns); });
      for (int64_t from = 0; from < p.k; from += inner) {
        t.k = std::min(inner, p.k - from), t.beta = from == 0 ? p.beta : 1;
        const int64_t lines = r.b_transposed ? columns : t.k, length = r.b_transposed ? p.k : columns;
        const uint16_t* const first = b + (r.b_transposed ? begin * r.b_step : from * r.b_step + begin);
        for (int64_t i = 0; i < lines; ++i) load(part.data() + i * length, first + i * r.b_step, 1, length);
        t.a = rows.data() + from * r.rows, t.b_step = length;
        kernels().thin_product(t, 0, columns);
      }
      each_row([&](void* out, const float* sum) { kernels().store[kF32][type](out, stride, sum, columns); });
    }
  });
}

}  // namespace chainer::cpu
