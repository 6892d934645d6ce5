// SPDX-License-Identifier: MIT
// The arithmetic of products, for measurements.
#pragma once
#include <atomic>
#include <cstdint>

namespace chainer {

namespace detail {
inline constinit std::atomic<int64_t> multiply_adds_so_far{0};
}

/// Returns the number of multiplications, each with an addition, of matrix products, convolutions and attention since
/// the program began, in all threads. An operation counts by its direct algorithm, also where a faster one runs
/// (Winograd's), and a product in two passes counts twice. Replays of static graphs and prepared networks do not count.
inline int64_t multiply_adds() { return detail::multiply_adds_so_far.load(std::memory_order_relaxed); }
/// Adds to multiply_adds(); called by the operations.
inline void count_multiply_adds(int64_t n) { detail::multiply_adds_so_far.fetch_add(n, std::memory_order_relaxed); }

}  // namespace chainer
