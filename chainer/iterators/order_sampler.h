// SPDX-License-Identifier: MIT
// Orders of examples (manual: "Order sampler examples"), and the options of the iterators.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chainer/core/serializer.h"
#include "chainer/routines/random.h"

namespace chainer::iterators {

/// Returns the order of the next epoch, of the same length as the current one.
using OrderSampler =
    std::function<std::vector<int64_t>(const std::vector<int64_t>& current_order, int64_t current_position)>;
/// Returns a random permutation for each epoch, from a given generator or the global one.
class ShuffleOrderSampler {
 public:
  explicit ShuffleOrderSampler(std::shared_ptr<random::RandomState> random_state = nullptr)
      : state_(std::move(random_state)) {}
  std::vector<int64_t> operator()(const std::vector<int64_t>& current_order, int64_t current_position) const;

 private:
  std::shared_ptr<random::RandomState> state_;
};

/// Returns random permutations that depend on a seed and the number of earlier ones only. Iterators save both, so that
/// resumed runs continue with the same orders.
class SeededOrderSampler {
 public:
  explicit SeededOrderSampler(uint32_t seed) : seed_(seed) {}
  std::vector<int64_t> operator()(const std::vector<int64_t>& current_order, int64_t current_position);
  /// Saves or loads the state. Files without it leave it as it is.
  void serialize(Serializer& s);

 private:
  uint32_t seed_;
  int64_t drawn_ = 0;
};

/// Options of the iterators, in the manual's order.
struct IteratorOptions {
  bool repeat = true;
  std::optional<bool> shuffle = {};  ///< true (the default): a new random order in each epoch; not with order_sampler
  int n_threads = 1;                 ///< MultithreadIterator only
  OrderSampler order_sampler = {};
};

/// Returns the sampler for the options; none keeps the order of the dataset. Throws ValueError if both shuffle and
/// order_sampler are given.
OrderSampler sampler_of(const IteratorOptions& options);

}  // namespace chainer::iterators
