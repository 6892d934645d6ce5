#pragma once
#include <deque>
#include <memory>

#include "chainer/iterators/iterator.h"
#include "chainer/iterators/position.h"
#include "chainer/iterators/workers.h"

namespace chainer::iterators {

/// Options of MultiprocessIterator, in the manual's order.
struct MultiprocessIteratorOptions {
  bool repeat = true;
  std::optional<bool> shuffle = {};
  std::optional<int> n_processes = {};         ///< the number of cores by default
  int64_t n_prefetch = 1;                      ///< batches that are read ahead
  std::optional<std::size_t> shared_mem = {};  ///< bytes an example may take in shared memory; 16 MiB by default
  OrderSampler order_sampler = {};
  double dataset_timeout = 30;  ///< seconds of waiting for an example after which it warns
  /// Seconds without a word from a worker process whose example is wanted, after which it is taken for lost.
  double worker_limit = 600;
};
/// The sequence of SerialIterator, read ahead by worker processes; arrays come back through shared memory. The workers
/// are forked in the constructor, which works only while the process has one thread: construct it before anything
/// computes. Later, and where n_processes is 0, worker threads take their place (a warning says so), with the same
/// batches; the library has no global lock, so threads read as fast.
///
/// The state advances when a batch is taken, and is that of SerialIterator with the orders drawn ahead beside it. After
/// an error in an example, which reaches next() with the example's index before its message, the following call reads
/// the same batch again. A worker process that dies, or that is silent for `worker_limit` seconds (a process that was
/// stopped, say; it is ended then), is a RuntimeError, which every further call repeats. Workers end with this object,
/// and when this process is killed.
class MultiprocessIterator : public Iterator {
 public:
  MultiprocessIterator(AnyDataset dataset, int64_t batch_size, const MultiprocessIteratorOptions& options = {});
  MultiprocessIterator(MultiprocessIterator&&) = default;
  std::optional<Examples> try_next() override;
  /// Ends the workers; no batches can be taken afterwards.
  void finalize() override;
  void reset() override;
  void serialize(Serializer& s) override;
  int64_t batch_size() const override { return batch_size_; }
  int64_t epoch() const override { return position_.epoch; }
  double epoch_detail() const override { return position_.epoch_detail(dataset_.size()); }
  std::optional<double> previous_epoch_detail() const override { return position_.previous_epoch_detail; }
  bool is_new_epoch() const override { return position_.is_new_epoch; }
  bool repeat() const override { return options_.repeat; }
  /// Whether the workers are processes, not threads.
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
  std::deque<Batch> plans_;  // asked for, not yet taken
};

}  // namespace chainer::iterators
