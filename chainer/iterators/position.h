// SPDX-License-Identifier: MIT
// The position of an iterator in its dataset.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chainer/core/serializer.h"
#include "chainer/datasets/dataset.h"
#include "chainer/iterators/order_sampler.h"

namespace chainer::iterators {

/// The order of the examples in an epoch; none is the order of the dataset. Shared, so that copies of positions are
/// cheap.
using Order = std::shared_ptr<const std::vector<int64_t>>;
/// Returns the order of the next epoch from the current one and the position at which its last batch began.
using NextOrder = std::function<Order(const std::vector<int64_t>& current_order, int64_t current_position)>;

/// The position of an iterator, and the rule by which it advances.
struct Position {
  int64_t current_position = 0, epoch = 0;
  bool is_new_epoch = false;
  std::optional<double> previous_epoch_detail;
  Order order;

  double epoch_detail(int64_t size) const {
    return static_cast<double>(epoch) + static_cast<double>(current_position) / static_cast<double>(size);
  }
  /// The number of examples taken so far, which is the number of the next visit.
  int64_t visits(int64_t size) const { return epoch * size + current_position; }
  /// Advances and returns the indices of the next batch; nothing at the end. A batch that crosses the end of an epoch
  /// continues in the next one (whose order is then drawn), also if the batch is larger than the dataset. Throws
  /// ValueError if an order has another length than the dataset.
  std::optional<std::vector<int64_t>> advance(int64_t batch_size, int64_t size, bool repeat,
                                              const NextOrder& next_order);
  void serialize(Serializer& s, int64_t size, const char* order_key);
};

/// A batch to be read.
struct PlannedBatch {
  std::vector<int64_t> indices;
  int64_t first_visit;        ///< the visit of the first example, see read_examples()
  Position after;             ///< the position after the batch was taken
  std::vector<Order> orders;  ///< the orders of the epochs that begin in the batch
};

/// Plans the batches of an iterator. If a batch was planned but not taken, because of an error in an example or a
/// snapshot, the orders drawn for it are kept and used before new ones: the same batch is planned again, although the
/// random number generator has advanced.
class Planner {
 public:
  explicit Planner(OrderSampler sampler) : sampler_(std::move(sampler)) {}
  /// Returns the start of the first epoch, in a new order; drops kept orders.
  Position start(int64_t size);
  /// Returns the batch at a position; nothing at the end.
  std::optional<PlannedBatch> plan(const Position& from, int64_t batch_size, int64_t size, bool repeat);
  /// Keeps the orders of a batch that is not taken. Batches are given back in reverse order of their planning.
  void give_back(const PlannedBatch& batch);
  /// Saves the orders of the batches under way, in the order in which they will be taken, and the kept ones; loads all
  /// as kept ones. Also saves the state of a SeededOrderSampler. Throws ValueError if loaded orders do not match the
  /// dataset.
  void serialize(Serializer& s, int64_t size, const std::vector<Order>& under_way);

 private:
  OrderSampler sampler_;
  std::deque<Order> kept_;
};

/// Returns examples in the order of `indices`. `first_visit` (epoch * size + position at the beginning of the batch)
/// seeds their random numbers (see begin_example()). The message of an error begins with the index of the example.
Examples read_examples(const AnyDataset& dataset, const std::vector<int64_t>& indices, int64_t first_visit);
/// Throws ValueError unless the batch size is positive and the dataset has examples, MemoryError if a batch cannot fit
/// into memory. Warns if batches of a repeating iterator are larger than the dataset: an update then passes several
/// epochs, which extensions see as one.
void check_batches(const AnyDataset& dataset, int64_t batch_size, bool repeat);

}  // namespace chainer::iterators
