// SPDX-License-Identifier: MIT
// The accumulation of blocks into sums, products and extremes, for eager reductions and inside programs. The order of
// additions does not depend on the number of threads: floats are added in runs of kRow (rows), in groups of kGroup
// (columns) or over a block of few columns, the block sums in double, and doubles with a compensated sum.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

/// Long rows are reduced in parts of this length, which are combined in order.
inline constexpr int64_t kPart = 16 * kBlock;

/// A result of a reduction along the last axis.
struct Accumulator {
  double d = 0, compensation = 0;  ///< sums of doubles are compensated (Neumaier)
  int64_t i = 0;

  static Accumulator start(Reduce op);
  void add(Reduce op, Compute c, double v, int64_t w);
  /// Adds n elements of the compute type.
  void add_block(const Kernels& k, Reduce op, Compute c, const void* block, int64_t n);
  /// Adds the result of a part that follows the previous ones.
  void add_part(Reduce op, Compute c, const Accumulator& part);
  void store(const Kernels& k, Compute c, Dtype dtype, void* to) const;
};

/// Neighbouring rows of a tile of columns in (outer, rows, width), usually with at most kBlock elements in total.
struct ColumnBlock {
  int64_t outer, row;    ///< the position of the first row
  int64_t first, width;  ///< the tile's columns
  int64_t rows;          ///< their number
  int64_t step;          ///< from one row to the next, in elements
  int64_t index, count;  ///< the first row is the index-th of `count` combined rows
  bool few;              ///< the array, not only the tile, has at most kFewColumns columns
};

/// At most kBlock neighbouring results of a reduction along an axis other than the last; rows are added in order.
class ColumnAccumulator {
 public:
  ColumnAccumulator() {}  // not zeroed: the first rows are stored, and most of the memory is never used
  /// Adds rows of elements of the compute type.
  void add_rows(const Kernels& k, Reduce op, Compute c, const void* rows, const ColumnBlock& b);
  /// Adds the results of later rows.
  void merge(const Kernels& k, Reduce op, Compute c, const ColumnAccumulator& later, int64_t n);
  void store(const Kernels& k, Reduce op, Compute c, Dtype dtype, void* to, int64_t stride, int64_t n) const;

 private:
  static constexpr int64_t kGroup = 16;
  static bool wide(Reduce op, Compute c) { return c == kF32 && op == Reduce::sum; }  // float groups, double sums
  alignas(64) char acc_[kBlock * 8];
  alignas(64) char sums_[kBlock * 8];
};

/// One of several reductions over the same rows.
struct ColumnReduction {
  Reduce op;
  Compute c;
};

/// Reduces the middle axis of (outer, rows, width). A job is a tile of columns and, if there are too few tiles for the
/// threads, a chunk of rows. Chunks depend only on the shape and are merged in order, so that results do not depend on
/// the number of threads. make() returns the state of a thread, add(state, block, accumulators) adds rows, and store(o,
/// first, n, accumulators) stores the results. With `in_place`, rows are read where they are, so that blocks may have
/// more than kBlock elements.
template <class Make, class Add, class Store>
void reduce_columns(const Kernels& k, int64_t outer, int64_t rows, int64_t width,
                    std::span<const ColumnReduction> reductions, bool in_place, Make&& make, Add&& add, Store&& store) {
  constexpr int64_t kMostChunks = 32, kJobs = 64, kFewSums = 2048, kManyRows = 2048, kRowsInPlace = 64;
  const int64_t tiles_alone = outer * ((width + kBlock - 1) / kBlock),
                most_chunks = std::min(kMostChunks, kJobs / std::max<int64_t>(1, tiles_alone));
  const bool narrow = outer * width <= kFewSums && rows >= kManyRows && most_chunks > 1;
  const int64_t chunk = narrow ? std::max<int64_t>(1024, (rows / most_chunks + 15) / 16 * 16) : rows;
  const int64_t chunks = rows ? (rows + chunk - 1) / chunk : 1;
  // Uses whole rows if that leaves every thread some work, because several rows fit in a block. The sum of a column
  // does not depend on its tile. Few columns, which are summed together, always are a single tile.
  const bool few = width <= kFewColumns;
  const int64_t threads = std::max(1, thread_count()), share = (width / threads + 63) / 64 * 64;
  const int64_t widest = few || outer * chunks >= threads ? width : std::max<int64_t>(64, share);
  const int64_t tile = std::min({kBlock, width, widest}), tiles = (width + tile - 1) / tile;
  // Blocks of rows that are read in place may be long and have gaps. (The sums of few columns depend on the block.)
  const bool long_blocks = in_place && !few;
  const int64_t together = long_blocks ? kRowsInPlace : tile == width ? kBlock / tile : 1;
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
        add(state,
            ColumnBlock{o, from + i, first, n, std::min(together, count - i), long_blocks ? width : n, i, count, few},
            sums);
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
