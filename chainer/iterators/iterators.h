// Iterators: batches of a dataset, epoch after epoch (manual: "Iterator").
#pragma once
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "chainer/core/kept.h"
#include "chainer/core/serializer.h"
#include "chainer/datasets/dataset.h"
#include "chainer/routines/random.h"

namespace chainer {

/// Thrown by next() at the end of an iterator that does not repeat.
class StopIteration : public Error {
 public:
  using Error::Error;
};

/// Base of iterators.
class Iterator : public Anchored {
 public:
  /// The next batch, or nothing at the end.
  virtual std::optional<Examples> try_next() = 0;
  /// The next batch; StopIteration at the end.
  Examples next();
  virtual void finalize() {}
  /// Back to the start.
  virtual void reset() = 0;
  virtual void serialize(Serializer& s) = 0;
  virtual int64_t batch_size() const = 0;
  virtual int64_t epoch() const = 0;
  /// Epochs with a fractional part.
  virtual double epoch_detail() const = 0;
  /// epoch_detail before the last batch; nothing before the first.
  virtual std::optional<double> previous_epoch_detail() const = 0;
  /// Whether the last batch finished an epoch.
  virtual bool is_new_epoch() const = 0;
  virtual bool repeat() const = 0;
};

namespace iterators {

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

/// Where an iterator stands, and the one rule by which it moves.
struct Position {
  int64_t current_position = 0, epoch = 0;
  bool is_new_epoch = false;
  std::optional<double> previous_epoch_detail;
  std::optional<std::vector<int64_t>> order;

  double epoch_detail(int64_t size) const {
    return static_cast<double>(epoch) + static_cast<double>(current_position) / static_cast<double>(size);
  }
  /// The indices of the next batch; nothing at the end. A batch that crosses the end of an epoch goes on in the next
  /// one (whose order is drawn at that moment), also when it holds more examples than the dataset.
  std::optional<std::vector<int64_t>> advance(int64_t batch_size, int64_t size, bool repeat,
                                              const OrderSampler& sampler);
  void serialize(Serializer& s, int64_t size, const char* order_key);
};

/// Batches in order, one after the other.
class SerialIterator : public Iterator {
 public:
  SerialIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& options = {});
  std::optional<Examples> try_next() override;
  void reset() override;
  void serialize(Serializer& s) override;
  int64_t batch_size() const override { return batch_size_; }
  int64_t epoch() const override { return position.epoch; }
  double epoch_detail() const override { return position.epoch_detail(dataset_.size()); }
  std::optional<double> previous_epoch_detail() const override { return position.previous_epoch_detail; }
  bool is_new_epoch() const override { return position.is_new_epoch; }
  bool repeat() const override { return repeat_; }
  const AnyDataset& dataset() const { return dataset_; }
  /// Writable, for loops that rewind by hand.
  Position position;

 private:
  AnyDataset dataset_;
  int64_t batch_size_;
  bool repeat_;
  OrderSampler sampler_;
};

/// The same sequence, the next batch being read by threads meanwhile. The state advances when a batch is taken.
class MultithreadIterator : public Iterator {
 public:
  MultithreadIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& options = {});
  MultithreadIterator(MultithreadIterator&&) = default;
  ~MultithreadIterator() override { finalize(); }
  std::optional<Examples> try_next() override;
  void finalize() override;
  void reset() override;
  void serialize(Serializer& s) override;
  int64_t batch_size() const override { return batch_size_; }
  int64_t epoch() const override { return position_.epoch; }
  double epoch_detail() const override { return position_.epoch_detail(dataset_.size()); }
  std::optional<double> previous_epoch_detail() const override { return position_.previous_epoch_detail; }
  bool is_new_epoch() const override { return position_.is_new_epoch; }
  bool repeat() const override { return repeat_; }

 private:
  void prefetch();
  AnyDataset dataset_;
  int64_t batch_size_;
  bool repeat_;
  int n_threads_;
  OrderSampler sampler_;
  Position position_, ahead_;
  std::optional<std::vector<std::future<Examples>>> pending_;
  bool prefetched_ = false;
};

}  // namespace iterators
}  // namespace chainer
