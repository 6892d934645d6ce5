// SPDX-License-Identifier: MIT
#include "chainer/iterators/multiprocess_iterator.h"

#include <algorithm>
#include <thread>

namespace chainer::iterators {
namespace {

constexpr std::size_t kSharedMemory = std::size_t(16) << 20;  // bytes for each example

// Returns the largest number of examples that are requested and not yet taken.
int64_t most_pending(int64_t size, int64_t batch_size, const MultiprocessIteratorOptions& o) {
  const std::size_t each = o.shared_mem.value_or(kSharedMemory);
  int64_t batches = 0, pending = 0, bytes = 0;
  bool large =
      __builtin_add_overflow(o.n_prefetch, 1, &batches) || __builtin_mul_overflow(batches, batch_size, &pending);
  if (!o.repeat && (large || pending > size)) pending = size, large = false;
  if (large || __builtin_mul_overflow(pending, each, &bytes))
    throw ValueError("MultiprocessIterator: n_prefetch ", o.n_prefetch, ", batches of ", batch_size,
                     " examples and shared_mem ", each, " are too large together");
  return pending;
}

}  // namespace

MultiprocessIterator::MultiprocessIterator(AnyDataset dataset, int64_t batch_size, const MultiprocessIteratorOptions& o)
    : dataset_(std::move(dataset)),
      batch_size_(batch_size),
      options_(o),
      planner_(sampler_of({.repeat = o.repeat, .shuffle = o.shuffle, .order_sampler = o.order_sampler})) {
  check_batches(dataset_, batch_size, o.repeat);
  if (o.n_prefetch < 1) throw ValueError("MultiprocessIterator: n_prefetch must be positive, not ", o.n_prefetch);
  if (o.n_processes && *o.n_processes < 0)
    throw ValueError("MultiprocessIterator: n_processes must not be negative, got ", *o.n_processes);
  if (o.shared_mem && *o.shared_mem == 0) throw ValueError("MultiprocessIterator: shared_mem must be positive, not 0");
  if (!(o.dataset_timeout > 0) || !(o.worker_limit > 0))
    throw ValueError("MultiprocessIterator: dataset_timeout ", o.dataset_timeout, " and worker_limit ", o.worker_limit,
                     " must be positive");
  const int64_t pending = most_pending(dataset_.size(), batch_size, o);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int n = o.n_processes.value_or(cores);
  processes_ = n > 0 && can_fork_workers();
  if (processes_) {
    workers_ = fork_workers(dataset_, n, pending, o.shared_mem.value_or(kSharedMemory));
  } else {
    if (n > 0)
      warn(
          "MultiprocessIterator: this process has started threads, so threads read the examples; construct the "
          "iterator first to have processes");
    workers_ = thread_workers(dataset_, std::max(1, n));
  }
  reset();
}

// Plans the batch after the last planned one and submits it to the workers; returns false at the end.
bool MultiprocessIterator::plan() {
  auto b = planner_.plan(plans_.empty() ? position_ : plans_.back().plan.after, batch_size_, dataset_.size(),
                         options_.repeat);
  if (!b) return false;
  plans_.push_back({std::move(*b), next_job_});
  const std::vector<int64_t>& indices = plans_.back().plan.indices;
  next_job_ += static_cast<int64_t>(indices.size());
  workers_->submit(plans_.back().first_job, indices, plans_.back().plan.first_visit);
  return true;
}

// Takes all examples of a batch, even if one of them throws, so that no request stays open.
Examples MultiprocessIterator::take(const Batch& b) {
  Examples out;
  out.reserve(b.plan.indices.size());
  std::exception_ptr error;
  for (std::size_t i = 0; i < b.plan.indices.size(); ++i) {
    try {
      out.push_back(
          workers_->take(b.first_job + static_cast<int64_t>(i), {options_.dataset_timeout, options_.worker_limit}));
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
  return out;
}

std::optional<Examples> MultiprocessIterator::try_next() {
  if (finalized_) throw RuntimeError("MultiprocessIterator: the iterator was finalized");
  while (static_cast<int64_t>(plans_.size()) <= options_.n_prefetch && plan()) {}
  if (plans_.empty()) return {};
  Examples out;
  try {
    out = take(plans_.front());
  } catch (...) {
    const Batch failed = std::move(plans_.front());
    plans_.pop_front();
    drop_plans();
    planner_.give_back(failed.plan);
    throw;
  }
  position_ = std::move(plans_.front().plan.after);
  plans_.pop_front();
  // Submits the next batches, which are read while the caller works. An error from a sampler is not thrown here, as
  // this batch is complete; the next call throws it.
  try {
    while (static_cast<int64_t>(plans_.size()) < options_.n_prefetch && plan()) {}
  } catch (...) {}
  return out;
}

// Discards all planned batches after the workers have finished them, but keeps the orders.
void MultiprocessIterator::drop_plans() {
  for (const Batch& b : plans_) {
    try {
      (void)take(b);
    } catch (...) {}  // the batch was not requested by the caller
  }
  for (; !plans_.empty(); plans_.pop_back()) planner_.give_back(plans_.back().plan);
}

void MultiprocessIterator::finalize() {
  workers_.reset();
  for (; !plans_.empty(); plans_.pop_back()) planner_.give_back(plans_.back().plan);
  finalized_ = true;
}

void MultiprocessIterator::reset() {
  if (finalized_) throw RuntimeError("MultiprocessIterator: the iterator was finalized and cannot be reset");
  drop_plans();
  position_ = planner_.start(dataset_.size());
}

void MultiprocessIterator::serialize(Serializer& s) {
  if (s.is_loading() && !finalized_) drop_plans();
  position_.serialize(s, dataset_.size(), "order");
  std::vector<Order> under_way;
  for (const Batch& b : plans_) under_way.insert(under_way.end(), b.plan.orders.begin(), b.plan.orders.end());
  planner_.serialize(s, dataset_.size(), under_way);
}

}  // namespace chainer::iterators
