// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "chainer/iterators/iterator.h"
#include "chainer/iterators/position.h"
#include "chainer/core/other_options.h"

namespace chainer::iterators {

/// The batches of SerialIterator, with the next batch read ahead by a pool of `n_threads` threads, which start with the
/// first batch and end with finalize() or the iterator. The state advances when a batch is taken; a saved state resumes
/// exactly, also if the order of the next epoch had been drawn. After an exception of the dataset, the following call
/// reads the same batch again.
class MultithreadIterator : public Iterator {
 public:
  MultithreadIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& options = {});
  CHAINER_OTHER_OPTIONS(MultithreadIterator, ".repeat, .shuffle, .n_threads, .order_sampler", AnyDataset, int64_t);
  MultithreadIterator(MultithreadIterator&&) noexcept;
  ~MultithreadIterator() override;
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
  void wait_for_reading();
  void drop_prefetched();
  AnyDataset dataset_;
  int64_t batch_size_;
  bool repeat_;
  int n_threads_;
  Planner planner_;
  Position position_;
  struct Ahead;  // the threads and their results
  std::unique_ptr<Ahead> reading_;
  std::optional<PlannedBatch> planned_;  // the batch that is being read ahead
};

}  // namespace chainer::iterators
