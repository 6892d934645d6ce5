#pragma once
#include <future>

#include "chainer/iterators/iterator.h"
#include "chainer/iterators/position.h"

namespace chainer::iterators {

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

}  // namespace chainer::iterators
