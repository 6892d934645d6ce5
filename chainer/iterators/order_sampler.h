// Orders of examples (manual: "Order sampler examples"), and the options that the iterators share.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chainer/routines/random.h"

namespace chainer::iterators {

/// Gives the order of the next epoch, of the same length as the last one.
using OrderSampler =
    std::function<std::vector<int64_t>(const std::vector<int64_t>& current_order, int64_t current_position)>;
/// A random permutation each epoch, from a generator of its own or the global one.
class ShuffleOrderSampler {
 public:
  explicit ShuffleOrderSampler(std::shared_ptr<random::RandomState> random_state = nullptr)
      : state_(std::move(random_state)) {}
  std::vector<int64_t> operator()(const std::vector<int64_t>& current_order, int64_t current_position) const;

 private:
  std::shared_ptr<random::RandomState> state_;
};

/// Options of the iterators, in the manual's order.
struct IteratorOptions {
  bool repeat = true;
  std::optional<bool> shuffle = {};  ///< a new random order each epoch, by default; not together with order_sampler
  int n_threads = 1;                 ///< MultithreadIterator only
  OrderSampler order_sampler = {};
};

/// The sampler that options ask for; none keeps the dataset's order. Giving shuffle and order_sampler is a ValueError.
OrderSampler sampler_of(const IteratorOptions& options);

}  // namespace chainer::iterators
