// SPDX-License-Identifier: MIT
// Parallel addition of rows to an output by index.
#pragma once
#include <algorithm>
#include <vector>

#include "chainer/core/parallel.h"

namespace chainer::cpu {

/// Calls f(row, j) for every entry j of the index, with the output row of `bytes` bytes that the entry selects. Each
/// thread owns a range of output rows and processes their entries in order: every element is summed in the order of the
/// index, and threads do not write to the same cache line (except at the ends of ranges).
template <class F>
void for_owned_rows(const int64_t* index, int64_t count, int64_t rows, int64_t bytes, char* out, F&& f) {
  constexpr int64_t kAhead = 8;  // rows to prefetch
  parallel_ranges(rows, count * bytes / 4, 1, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> mine(static_cast<std::size_t>(count + 1));
    std::size_t n = 0;
    for (int64_t j = 0; j < count; ++j) {
      mine[n] = j;
      n += index[j] >= begin && index[j] < end;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i + kAhead < n)
        for (int64_t c = 0; c < bytes; c += 64) __builtin_prefetch(out + index[mine[i + kAhead]] * bytes + c, 1);
      f(out + index[mine[i]] * bytes, mine[i]);
    }
  });
}

}  // namespace chainer::cpu
