// Where an iterator stands in its dataset.
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

/// The order of the examples in an epoch; none is the dataset's. Shared, so that a copied position costs nothing.
using Order = std::shared_ptr<const std::vector<int64_t>>;
/// Gives the order of the next epoch from the last one and the position where its last batch began.
using NextOrder = std::function<Order(const std::vector<int64_t>& current_order, int64_t current_position)>;

/// Where an iterator stands, and the one rule by which it moves.
struct Position {
  int64_t current_position = 0, epoch = 0;
  bool is_new_epoch = false;
  std::optional<double> previous_epoch_detail;
  Order order;

  double epoch_detail(int64_t size) const {
    return static_cast<double>(epoch) + static_cast<double>(current_position) / static_cast<double>(size);
  }
  /// Examples that were taken before: the number of the next visit.
  int64_t visits(int64_t size) const { return epoch * size + current_position; }
  /// The indices of the next batch; nothing at the end. A batch that crosses the end of an epoch goes on in the next
  /// one (whose order is drawn at that moment), also when it holds more examples than the dataset.
  std::optional<std::vector<int64_t>> advance(int64_t batch_size, int64_t size, bool repeat,
                                              const NextOrder& next_order);
  void serialize(Serializer& s, int64_t size, const char* order_key);
};

/// A batch that is to be read.
struct PlannedBatch {
  std::vector<int64_t> indices;
  int64_t first_visit;        ///< of its first example, see read_examples()
  Position after;             ///< where the iterator stands when the batch was taken
  std::vector<Order> orders;  ///< of the epochs that begin in it
};

/// Plans an iterator's batches. An order that was drawn for a batch which nobody took, because an example had an error
/// or a snapshot was made before, is kept and comes before new ones: the batch is planned again as it was, although
/// the generator of random numbers is past it.
class Planner {
 public:
  explicit Planner(OrderSampler sampler) : sampler_(std::move(sampler)) {}
  /// The start of a first epoch, in a new order; forgets what was kept.
  Position start(int64_t size);
  /// The batch at a position; nothing at the end.
  std::optional<PlannedBatch> plan(const Position& from, int64_t batch_size, int64_t size, bool repeat);
  /// Keeps the orders of a batch that is not taken. Of several, the last planned is given back first.
  void give_back(const PlannedBatch& batch);
  /// Saves the orders of the batches under way, the first to be taken first, and those that are kept; loads them all as
  /// kept ones.
  void serialize(Serializer& s, int64_t size, const std::vector<Order>& under_way);

 private:
  OrderSampler sampler_;
  std::deque<Order> kept_;
};

/// Examples in the order of `indices`. `first_visit` (epoch * size + position where the batch begins) starts their
/// random numbers (see begin_example()), and an error's message begins with the example's index.
Examples read_examples(const AnyDataset& dataset, const std::vector<int64_t>& indices, int64_t first_visit);
/// ValueError unless the batch size is positive and the dataset has examples. A warning where batches of an iterator
/// that repeats are larger than the dataset: an update then passes several epochs, which extensions see as one.
void check_batches(const AnyDataset& dataset, int64_t batch_size, bool repeat);

}  // namespace chainer::iterators
