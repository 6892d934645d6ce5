#pragma once
#include "chainer/iterators/iterator.h"
#include "chainer/iterators/position.h"

namespace chainer::iterators {

/// Batches in order, one after the other. What the dataset throws comes out of next() with the example's index before
/// its message. The state stays, here and in the iterators with workers: the following call reads the same batch again.
/// A dataset that would pass over damaged examples gives others in their place.
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
  Planner planner_;
};

}  // namespace chainer::iterators
