// How blocks become sums, products and extremes, for reductions at once and inside programs. Whatever the thread
// count, elements are added in the same order: floats in runs of kRow (rows) or groups of kGroup (columns), or of a
// block of few columns, the block sums in double, doubles with a compensated sum.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

/// Long rows are reduced in parts of this length, combined in order.
inline constexpr int64_t kPart = 16 * kBlock;

/// One result of a reduction along the last axis.
struct Accumulator {
  double d = 0, compensation = 0;  ///< sums of doubles carry a compensation (Neumaier)
  int64_t i = 0;

  static Accumulator start(Reduce op);
  void add(Reduce op, Compute c, double v, int64_t w);
  /// n elements of the compute type.
  void add_block(const Kernels& k, Reduce op, Compute c, const void* block, int64_t n);
  /// The result of a part, after those of the parts before it.
  void add_part(Reduce op, Compute c, const Accumulator& part);
  void store(const Kernels& k, Compute c, Dtype dtype, void* to) const;
};

/// Neighbouring rows of a tile of columns in (outer, rows, width), of at most kBlock elements together.
struct ColumnBlock {
  int64_t outer, row;    ///< where the first row is
  int64_t first, width;  ///< the tile's columns
  int64_t rows;          ///< how many; more than one only where the tile is as wide as the array
  int64_t index, count;  ///< the first row is the index-th of the count that are combined
  bool few;              ///< the array, not only the tile, has at most kFewColumns
};

/// At most kBlock neighbouring results of a reduction along an axis before the last: rows come one after the other.
class ColumnAccumulator {
 public:
  /// Rows of elements of the compute type, one behind the other.
  void add_rows(const Kernels& k, Reduce op, Compute c, const void* rows, const ColumnBlock& b);
  /// The results of rows that came after these.
  void merge(const Kernels& k, Reduce op, Compute c, const ColumnAccumulator& later, int64_t n);
  void store(const Kernels& k, Reduce op, Compute c, Dtype dtype, void* to, int64_t stride, int64_t n) const;

 private:
  static constexpr int64_t kGroup = 16;
  static bool wide(Reduce op, Compute c) { return c == kF32 && op == Reduce::sum; }  // groups in float, sums in double
  alignas(64) char acc_[kBlock * 8];
  alignas(64) char sums_[kBlock * 8];
};

/// One reduction of several that go over the same rows.
struct ColumnReduction {
  Reduce op;
  Compute c;
};

/// Reduces the middle axis of (outer, rows, width). A job is a tile of columns and, where there are too few of them to
/// share among threads, a chunk of rows; chunks depend on the shape only and are merged in order, so that the results
/// do not depend on the number of threads. make() gives a thread's state; add(state, block, accumulators) adds rows;
/// store(o, first, n, accumulators) takes the results.
template <class Make, class Add, class Store>
void reduce_columns(const Kernels& k, int64_t outer, int64_t rows, int64_t width,
                    std::span<const ColumnReduction> reductions, Make&& make, Add&& add, Store&& store) {
  const bool narrow = outer * width <= 2048 && rows >= 2048;
  const int64_t chunk = narrow ? std::max<int64_t>(1024, (rows / 32 + 15) / 16 * 16) : rows;
  const int64_t chunks = rows ? (rows + chunk - 1) / chunk : 1;
  // Whole rows where that leaves every thread something to do: several of them fit a block. A column's sum does not
  // depend on the tile it is in; few columns, which are added side by side, are one tile whatever the number of
  // threads.
  const bool few = width <= kFewColumns;
  const int64_t threads = std::max(1, thread_count()), share = (width / threads + 63) / 64 * 64;
  const int64_t widest = few || outer * chunks >= threads ? width : std::max<int64_t>(64, share);
  const int64_t tile = std::min({kBlock, width, widest}), tiles = (width + tile - 1) / tile;
  const int64_t together = tile == width ? kBlock / tile : 1;
  std::vector<ColumnAccumulator> partial(
      chunks > 1 ? static_cast<std::size_t>(outer * tiles * chunks) * reductions.size() : 0);
  parallel_ranges(outer * tiles * chunks, outer * rows * width, 1, [&](int64_t begin, int64_t end) {
    auto state = make();
    std::vector<ColumnAccumulator> own(chunks > 1 ? 0 : reductions.size());
    for (int64_t job = begin; job < end; ++job) {
      const int64_t o = job / chunks / tiles, first = job / chunks % tiles * tile, n = std::min(tile, width - first);
      const int64_t from = job % chunks * chunk, count = std::min(rows - from, chunk);
      ColumnAccumulator* sums = chunks > 1 ? &partial[static_cast<std::size_t>(job) * reductions.size()] : own.data();
      for (int64_t i = 0; i < count; i += together)
        add(state, ColumnBlock{o, from + i, first, n, std::min(together, count - i), i, count, few}, sums);
      if (chunks == 1) store(o, first, n, sums);
    }
  });
  if (chunks == 1) return;
  for (int64_t job = 0; job < outer * tiles; ++job) {
    const int64_t o = job / tiles, first = job % tiles * tile, n = std::min(tile, width - first);
    ColumnAccumulator* sums = &partial[static_cast<std::size_t>(job * chunks) * reductions.size()];
    for (std::size_t c = 1; c < static_cast<std::size_t>(chunks); ++c)
      for (std::size_t s = 0; s < reductions.size(); ++s)
        sums[s].merge(k, reductions[s].op, reductions[s].c, sums[c * reductions.size() + s], n);
    store(o, first, n, sums);
  }
}

}  // namespace chainer::cpu
