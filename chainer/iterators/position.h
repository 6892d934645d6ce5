// Where an iterator stands in its dataset.
#pragma once
#include <optional>
#include <vector>

#include "chainer/core/serializer.h"
#include "chainer/datasets/dataset.h"
#include "chainer/iterators/order_sampler.h"

namespace chainer::iterators {

/// Where an iterator stands, and the one rule by which it moves.
struct Position {
  int64_t current_position = 0, epoch = 0;
  bool is_new_epoch = false;
  std::optional<double> previous_epoch_detail;
  std::optional<std::vector<int64_t>> order;

  double epoch_detail(int64_t size) const {
    return static_cast<double>(epoch) + static_cast<double>(current_position) / static_cast<double>(size);
  }
  /// Examples that were taken before: the number of the next visit.
  int64_t visits(int64_t size) const { return epoch * size + current_position; }
  /// The indices of the next batch; nothing at the end. A batch that crosses the end of an epoch goes on in the next
  /// one (whose order is drawn at that moment), also when it holds more examples than the dataset.
  std::optional<std::vector<int64_t>> advance(int64_t batch_size, int64_t size, bool repeat,
                                              const OrderSampler& sampler);
  void serialize(Serializer& s, int64_t size, const char* order_key);
};

/// The start of a first epoch, in an order from the sampler.
Position first_position(int64_t size, const OrderSampler& sampler);
/// Examples in the order of `indices`. `first_visit` (epoch * size + position where the batch begins) starts their
/// random numbers (see begin_example()), and an error's message begins with the example's index.
Examples read_examples(const AnyDataset& dataset, const std::vector<int64_t>& indices, int64_t first_visit);
/// ValueError unless the batch size is positive and the dataset has examples.
void check_batches(const AnyDataset& dataset, int64_t batch_size);

}  // namespace chainer::iterators
