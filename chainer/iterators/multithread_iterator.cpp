// SPDX-License-Identifier: MIT
#include "chainer/iterators/multithread_iterator.h"

#include <algorithm>
#include <future>
#include <vector>

#include "chainer/iterators/worker_pool.h"

namespace chainer::iterators {

struct MultithreadIterator::Ahead {
  explicit Ahead(int n_threads) : pool(n_threads) {}
  std::vector<std::future<Examples>> pending;
  WorkerPool pool;
};

MultithreadIterator::MultithreadIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& o)
    : dataset_(std::move(dataset)),
      batch_size_(batch_size),
      repeat_(o.repeat),
      n_threads_(std::max(1, o.n_threads)),
      planner_(sampler_of(o)) {
  check_batches(dataset_, batch_size, repeat_);
  reset();
}

MultithreadIterator::MultithreadIterator(MultithreadIterator&&) noexcept = default;
MultithreadIterator::~MultithreadIterator() { finalize(); }

// Plans the next batch, unless this is the end, and starts reading it in the threads.
void MultithreadIterator::prefetch() {
  if (!reading_) reading_ = std::make_unique<Ahead>(n_threads_);
  planned_ = planner_.plan(position_, batch_size_, dataset_.size(), repeat_);
  if (!planned_) return;
  const std::vector<int64_t>& indices = planned_->indices;
  const std::size_t n = indices.size(), parts = std::min<std::size_t>(static_cast<std::size_t>(n_threads_), n);
  try {
    for (std::size_t p = 0; p < parts; ++p) {
      const auto begin = static_cast<std::ptrdiff_t>(n * p / parts),
                 end = static_cast<std::ptrdiff_t>(n * (p + 1) / parts);
      reading_->pending.push_back(reading_->pool.submit(
          [d = dataset_, share = std::vector<int64_t>(indices.begin() + begin, indices.begin() + end),
           first = planned_->first_visit + begin] { return read_examples(d, share, first); }));
    }
  } catch (...) {
    drop_prefetched();
    throw;
  }
}

// Waits for all tasks, even if one of them throws: afterwards none reads the dataset.
void MultithreadIterator::wait_for_reading() {
  if (!reading_) return;
  for (auto& f : reading_->pending)
    if (f.valid()) f.wait();
  reading_->pending.clear();
}

void MultithreadIterator::drop_prefetched() {
  wait_for_reading();
  if (planned_) planner_.give_back(*planned_);
  planned_.reset();
}

std::optional<Examples> MultithreadIterator::try_next() {
  if (!planned_) prefetch();
  if (!planned_) return {};
  Examples batch;
  try {
    for (auto& f : reading_->pending)
      for (Example& e : f.get()) batch.push_back(std::move(e));
  } catch (...) {
    drop_prefetched();
    throw;
  }
  wait_for_reading();
  position_ = std::move(planned_->after);
  planned_.reset();
  try {
    prefetch();
  } catch (...) {}  // this batch is complete; the next call tries again and throws
  return batch;
}
void MultithreadIterator::finalize() {
  drop_prefetched();
  reading_.reset();
}
void MultithreadIterator::reset() {
  drop_prefetched();
  position_ = planner_.start(dataset_.size());
}
void MultithreadIterator::serialize(Serializer& s) {
  if (s.is_loading()) drop_prefetched();
  position_.serialize(s, dataset_.size(), "_order");
  planner_.serialize(s, dataset_.size(), planned_ ? planned_->orders : std::vector<Order>());
}

}  // namespace chainer::iterators
