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
      sampler_(sampler_of(o)) {
  check_batches(dataset_, batch_size);
  reset();
}

MultithreadIterator::MultithreadIterator(MultithreadIterator&&) noexcept = default;
MultithreadIterator::~MultithreadIterator() { finalize(); }

void MultithreadIterator::prefetch() {
  ahead_ = position_;
  const int64_t visit = ahead_.visits(dataset_.size());
  const auto indices = ahead_.advance(batch_size_, dataset_.size(), repeat_, sampler_);
  at_end_ = !indices;
  prefetched_ = true;
  if (!indices) return;
  if (!reading_) reading_ = std::make_unique<Ahead>(n_threads_);
  const std::size_t n = indices->size(), parts = std::min<std::size_t>(static_cast<std::size_t>(n_threads_), n);
  for (std::size_t p = 0; p < parts; ++p) {
    std::vector<int64_t> share(indices->begin() + static_cast<std::ptrdiff_t>(n * p / parts),
                               indices->begin() + static_cast<std::ptrdiff_t>(n * (p + 1) / parts));
    reading_->pending.push_back(reading_->pool.submit(
        [d = dataset_, share = std::move(share), first = visit + static_cast<int64_t>(n * p / parts)] {
          return read_examples(d, share, first);
        }));
  }
}

// Waits for every task, whatever another one threw: none may read the dataset any more when this is over.
void MultithreadIterator::drop_prefetched() {
  prefetched_ = false;
  if (!reading_) return;
  for (auto& f : reading_->pending)
    if (f.valid()) f.wait();
  reading_->pending.clear();
}

std::optional<Examples> MultithreadIterator::try_next() {
  if (!prefetched_) prefetch();
  if (at_end_) return {};
  Examples batch;
  try {
    for (auto& f : reading_->pending)
      for (Example& e : f.get()) batch.push_back(std::move(e));
  } catch (...) {
    drop_prefetched();
    throw;
  }
  position_ = ahead_;
  drop_prefetched();
  prefetch();
  return batch;
}
void MultithreadIterator::finalize() {
  drop_prefetched();
  reading_.reset();
}
void MultithreadIterator::reset() {
  drop_prefetched();
  position_ = first_position(dataset_.size(), sampler_);
}
void MultithreadIterator::serialize(Serializer& s) {
  position_.serialize(s, dataset_.size(), "_order");
  if (s.is_loading()) drop_prefetched();
}

}  // namespace chainer::iterators
