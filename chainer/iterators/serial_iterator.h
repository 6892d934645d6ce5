// SPDX-License-Identifier: MIT
#pragma once
#include "chainer/iterators/iterator.h"
#include "chainer/iterators/position.h"
#include "chainer/core/other_options.h"

namespace chainer::iterators {

/// Reads batches in order, in the calling thread. next() throws what the dataset throws, with the index of the example
/// in the message. The state does not advance then, here and in the other iterators: the following call reads the same
/// batch again. A dataset that skips damaged examples must return other examples instead. The constructor throws
/// ValueError for an empty dataset or a batch size that is not positive.
class SerialIterator : public Iterator {
 public:
  SerialIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& options = {});
  CHAINER_OTHER_OPTIONS(SerialIterator, ".repeat, .shuffle, .n_threads, .order_sampler", AnyDataset, int64_t);
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
