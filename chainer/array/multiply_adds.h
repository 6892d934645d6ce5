// SPDX-License-Identifier: MIT
// The arithmetic of products, for measurements.
#pragma once
#include <atomic>
#include <cstdint>

namespace chainer {

namespace detail {
inline constinit std::atomic<int> multiply_adds_counters{0};
inline constinit std::atomic<int64_t> multiply_adds_so_far{0};
}  // namespace detail

/// Counts the multiplications, each with an addition, of matrix products, convolutions and attention during its
/// lifetime, in all threads. An operation counts by its direct algorithm, also where a faster one runs (Winograd's),
/// and a product in two passes counts twice. Replays of static graphs and prepared networks do not count.
///   const MultiplyAddsCounter counter;
///   (void)matmul(ones({2, 3}), ones({3, 4}));
///   counter.count()  // 24
class MultiplyAddsCounter {
 public:
  MultiplyAddsCounter() : begin_(detail::multiply_adds_so_far.load()) { ++detail::multiply_adds_counters; }
  MultiplyAddsCounter(const MultiplyAddsCounter&) = delete;
  MultiplyAddsCounter& operator=(const MultiplyAddsCounter&) = delete;
  ~MultiplyAddsCounter() { --detail::multiply_adds_counters; }
  int64_t count() const { return detail::multiply_adds_so_far.load() - begin_; }

 private:
  int64_t begin_;
};

/// Adds number() to the counters, if there are any. Called by operations.
template <class F>
void count_multiply_adds(F number) {
  if (detail::multiply_adds_counters.load(std::memory_order_relaxed)) [[unlikely]]
    detail::multiply_adds_so_far += number();
}

}  // namespace chainer
