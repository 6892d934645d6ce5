#include "chainer/iterators/multiprocess_iterator.h"

#include <algorithm>
#include <thread>

#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::iterators {

MultiprocessIterator::MultiprocessIterator(AnyDataset dataset, int64_t batch_size, const MultiprocessIteratorOptions& o)
    : dataset_(std::move(dataset)),
      batch_size_(batch_size),
      options_(o),
      sampler_(sampler_of({.repeat = o.repeat, .shuffle = o.shuffle, .order_sampler = o.order_sampler})) {
  check_batches(dataset_, batch_size);
  if (o.n_prefetch < 1) throw ValueError("MultiprocessIterator: n_prefetch must be positive, not ", o.n_prefetch);
  if (o.n_processes && *o.n_processes < 0)
    throw ValueError("MultiprocessIterator: n_processes must not be negative, as ", *o.n_processes, " is");
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int n = o.n_processes.value_or(cores);
  processes_ = n > 0 && can_fork_workers();
  if (processes_) {
    workers_ = fork_workers(dataset_, n, (o.n_prefetch + 1) * batch_size, o.shared_mem.value_or(16u << 20));
  } else {
    if (n > 0)
      warn(
          "MultiprocessIterator: this process has started threads, so threads read the examples; construct the "
          "iterator "
          "first to have processes");
    workers_ = thread_workers(dataset_, std::max(1, n));
  }
  reset();
}

// Plans the batch behind the last one planned and asks the workers for it; false at the end.
bool MultiprocessIterator::plan() {
  Batch b{next_job_, 0, plans_.empty() ? position_ : plans_.back().after, {}};
  int64_t visit = b.after.visits(dataset_.size());
  OrderSampler recorded;
  if (sampler_)
    recorded = [&](const std::vector<int64_t>& current, int64_t at) {
      if (replay_.empty()) {
        b.orders.push_back(sampler_(current, at));
      } else {
        b.orders.push_back(std::move(replay_.front()));
        replay_.pop_front();
      }
      return b.orders.back();
    };
  const auto indices = b.after.advance(batch_size_, dataset_.size(), options_.repeat, recorded);
  if (!indices) return false;
  b.size = indices->size();
  plans_.push_back(std::move(b));
  for (int64_t i : *indices) workers_->submit(next_job_++, i, visit++);
  return true;
}

std::optional<Examples> MultiprocessIterator::try_next() {
  if (finalized_) throw RuntimeError("MultiprocessIterator: it was finalized");
  while (static_cast<int64_t>(plans_.size()) <= options_.n_prefetch && plan()) {}
  if (plans_.empty()) return {};
  Batch b = std::move(plans_.front());
  plans_.pop_front();
  Examples out;
  std::exception_ptr error;
  for (std::size_t i = 0; i < b.size; ++i) {
    try {
      out.push_back(workers_->take(b.first_job + static_cast<int64_t>(i), options_.dataset_timeout));
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  position_ = std::move(b.after);
  if (error) std::rethrow_exception(error);
  // The next ones are on their way while the caller works.
  while (static_cast<int64_t>(plans_.size()) < options_.n_prefetch && plan()) {}
  return out;
}

// Lets the workers finish what they were asked for, and forgets it.
void MultiprocessIterator::drop_plans() {
  for (const Batch& b : plans_)
    for (std::size_t i = 0; i < b.size; ++i) {
      try {
        (void)workers_->take(b.first_job + static_cast<int64_t>(i), options_.dataset_timeout);
      } catch (const Error&) {}  // nobody asked for this example after all
    }
  plans_.clear();
}

void MultiprocessIterator::finalize() {
  plans_.clear();
  workers_.reset();
  finalized_ = true;
}

void MultiprocessIterator::reset() {
  if (finalized_) throw RuntimeError("MultiprocessIterator: it was finalized and cannot be reset");
  drop_plans();
  replay_.clear();
  position_ = first_position(dataset_.size(), sampler_);
}

void MultiprocessIterator::serialize(Serializer& s) {
  if (s.is_loading() && !finalized_) drop_plans();
  position_.serialize(s, dataset_.size(), "order");
  if (!sampler_) return;
  // Orders that were drawn ahead: a resumed run must not draw them again.
  const int64_t n = dataset_.size();
  std::vector<int64_t> flat;
  const auto append = [&](const std::vector<int64_t>& order) { flat.insert(flat.end(), order.begin(), order.end()); };
  for (const Batch& b : plans_)
    for (const auto& order : b.orders) append(order);
  for (const auto& order : replay_) append(order);
  if (s.is_loading() && !s.contains("_orders_ahead")) {
    replay_.clear();
    return;
  }
  Array ahead = s.is_loading() ? Array() : chainer::array(flat).astype(int64).reshape({-1, n});
  if (!s.is_loading() && flat.empty()) ahead = zeros({0, n}, int64);
  s("_orders_ahead", ahead);
  if (!s.is_loading()) return;
  replay_.clear();
  if (ahead.ndim() != 2 || ahead.shape()[1] != n)
    throw ValueError("iterator: the stored orders ahead have shape ", ahead.shape(), " for a dataset of ", n);
  const std::vector<int64_t> all = ahead.to_vector<int64_t>();
  for (std::size_t at = 0; at < all.size(); at += static_cast<std::size_t>(n)) {
    replay_.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(at) + static_cast<std::ptrdiff_t>(n));
    for (int64_t i : replay_.back())
      if (i < 0 || i >= n) throw ValueError("iterator: the stored order names example ", i, ", the dataset has ", n);
  }
}

}  // namespace chainer::iterators
