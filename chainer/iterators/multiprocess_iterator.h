// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <memory>

#include "chainer/iterators/iterator.h"
#include "chainer/iterators/position.h"
#include "chainer/iterators/workers.h"
#include "chainer/core/other_options.h"

namespace chainer::iterators {

/// Options of MultiprocessIterator, in the manual's order.
struct MultiprocessIteratorOptions {
  bool repeat = true;
  std::optional<bool> shuffle = {};
  std::optional<int> n_processes = {};         ///< the number of cores by default
  int64_t n_prefetch = 1;                      ///< number of batches to read ahead
  std::optional<std::size_t> shared_mem = {};  ///< bytes of shared memory for each example; 16 MiB by default
  OrderSampler order_sampler = {};
  double dataset_timeout = 30;  ///< seconds of waiting for an example before a warning
  /// Seconds without an answer from a worker process, while waiting for its example, before the worker is ended.
  double worker_limit = 600;
};
/// The batches of SerialIterator, read ahead by worker processes; arrays are returned through shared memory. The
/// constructor forks the workers, which requires that the process has a single thread: construct the iterator before
/// any computation. Otherwise, or if n_processes is 0, worker threads are used (with a warning) and give the same
/// batches; the library has no global lock, so threads are as fast.
///
/// The state advances when a batch is taken. It is the state of SerialIterator and the orders drawn ahead. An error in
/// an example is thrown by next(), with the index of the example in the message; the following call reads the same
/// batch again. If a worker process dies, or does not answer for `worker_limit` seconds (it is ended then), this and
/// every further call throws RuntimeError. The constructor throws ValueError for options out of range. Workers end with
/// this object, and when this process is killed.
class MultiprocessIterator : public Iterator {
 public:
  MultiprocessIterator(AnyDataset dataset, int64_t batch_size, const MultiprocessIteratorOptions& options = {});
  CHAINER_OTHER_OPTIONS(
      MultiprocessIterator,
      ".repeat, .shuffle, .n_processes, .n_prefetch, .shared_mem, .order_sampler, .dataset_timeout, .worker_limit",
      AnyDataset, int64_t);
  MultiprocessIterator(MultiprocessIterator&&) = default;
  std::optional<Examples> try_next() override;
  /// Ends the workers. try_next() and reset() throw RuntimeError afterwards.
  void finalize() override;
  void reset() override;
  void serialize(Serializer& s) override;
  int64_t batch_size() const override { return batch_size_; }
  int64_t epoch() const override { return position_.epoch; }
  double epoch_detail() const override { return position_.epoch_detail(dataset_.size()); }
  std::optional<double> previous_epoch_detail() const override { return position_.previous_epoch_detail; }
  bool is_new_epoch() const override { return position_.is_new_epoch; }
  bool repeat() const override { return options_.repeat; }
  /// Returns true if the workers are processes, false if threads.
  bool uses_processes() const { return processes_; }

 private:
  struct Batch {
    PlannedBatch plan;
    int64_t first_job;
  };
  bool plan();
  Examples take(const Batch& batch);
  void drop_plans();
  AnyDataset dataset_;
  int64_t batch_size_;
  MultiprocessIteratorOptions options_;
  Planner planner_;
  std::unique_ptr<Workers> workers_;
  bool processes_ = false, finalized_ = false;
  int64_t next_job_ = 0;
  Position position_;
  std::deque<Batch> plans_;  // requested, not yet taken
};

}  // namespace chainer::iterators
