#include "chainer/iterators/iterators.h"

#include <algorithm>
#include <numeric>

#include "chainer/routines/creation.h"

namespace chainer {

Examples Iterator::next() {
  std::optional<Examples> batch = try_next();
  if (!batch) throw StopIteration("the iterator has ended");
  return std::move(*batch);
}

namespace iterators {

std::vector<int64_t> ShuffleOrderSampler::operator()(const std::vector<int64_t>& current, int64_t) const {
  const auto n = static_cast<int64_t>(current.size());
  return (state_ ? state_->permutation(n) : random::permutation(n)).to_vector<int64_t>();
}

namespace {

OrderSampler sampler_of(const IteratorOptions& o) {
  if (o.order_sampler && o.shuffle) throw ValueError("an iterator takes shuffle or order_sampler, not both");
  if (o.order_sampler) return o.order_sampler;
  return o.shuffle.value_or(true) ? OrderSampler(ShuffleOrderSampler()) : OrderSampler();
}

std::vector<int64_t> sample(const OrderSampler& sampler, const std::vector<int64_t>& current, int64_t position) {
  std::vector<int64_t> order = sampler(current, position);
  if (order.size() != current.size())
    throw ValueError("the order of an epoch must keep its length: ", current.size(), " became ", order.size());
  return order;
}

void check(const AnyDataset& d, int64_t batch_size) {
  if (batch_size <= 0) throw ValueError("an iterator's batch_size must be positive, not ", batch_size);
  if (d.size() == 0) throw ValueError("an iterator needs a dataset with examples");
}

Position first_position(int64_t size, const OrderSampler& sampler) {
  Position p;
  if (!sampler) return p;
  std::vector<int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  p.order = sample(sampler, order, 0);
  return p;
}

}  // namespace

std::optional<std::vector<int64_t>> Position::advance(int64_t batch_size, int64_t size, bool repeat,
                                                      const OrderSampler& sampler) {
  if (!repeat && epoch > 0) return {};
  previous_epoch_detail = epoch_detail(size);
  is_new_epoch = false;
  std::vector<int64_t> out;
  out.reserve(static_cast<std::size_t>(batch_size));
  while (static_cast<int64_t>(out.size()) < batch_size) {
    const int64_t want = batch_size - static_cast<int64_t>(out.size()), n = std::min(want, size - current_position);
    for (int64_t i = current_position; i < current_position + n; ++i)
      out.push_back(order ? (*order)[static_cast<std::size_t>(i)] : i);
    const int64_t begin = current_position;
    current_position += n;
    if (current_position < size) break;
    ++epoch;
    is_new_epoch = true;
    current_position = 0;
    if (!repeat) break;
    if (order) order = sample(sampler, *order, begin);
  }
  return out;
}

void Position::serialize(Serializer& s, int64_t size, const char* order_key) {
  s("current_position", current_position);
  s("epoch", epoch);
  s("is_new_epoch", is_new_epoch);
  if (order) {
    const char* key = s.is_loading() && !s.contains(order_key) ? "_order" : order_key;
    Array a = array(*order);
    s(key, a);
    order = a.to_vector<int64_t>();
    for (int64_t i : *order)
      if (i < 0 || i >= size)
        throw ValueError("iterator: the stored order names example ", i, ", the dataset has ", size);
  }
  double previous = previous_epoch_detail.value_or(-1);
  if (!s.is_loading() || s.contains("previous_epoch_detail")) s("previous_epoch_detail", previous);
  previous_epoch_detail = previous < 0 ? std::nullopt : std::optional<double>(previous);
  if (current_position < 0 || current_position > size)
    throw ValueError("iterator: the stored position ", current_position, " is outside the dataset of ", size);
}

SerialIterator::SerialIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& o)
    : dataset_(std::move(dataset)), batch_size_(batch_size), repeat_(o.repeat), sampler_(sampler_of(o)) {
  check(dataset_, batch_size);
  reset();
}
std::optional<Examples> SerialIterator::try_next() {
  const auto indices = position.advance(batch_size_, dataset_.size(), repeat_, sampler_);
  if (!indices) return {};
  return dataset_[*indices];
}
void SerialIterator::reset() { position = first_position(dataset_.size(), sampler_); }
void SerialIterator::serialize(Serializer& s) { position.serialize(s, dataset_.size(), "order"); }

MultithreadIterator::MultithreadIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& o)
    : dataset_(std::move(dataset)),
      batch_size_(batch_size),
      repeat_(o.repeat),
      n_threads_(std::max(1, o.n_threads)),
      sampler_(sampler_of(o)) {
  check(dataset_, batch_size);
  reset();
}

void MultithreadIterator::prefetch() {
  ahead_ = position_;
  const auto indices = ahead_.advance(batch_size_, dataset_.size(), repeat_, sampler_);
  pending_.reset();
  prefetched_ = true;
  if (!indices) return;
  pending_.emplace();
  const std::size_t n = indices->size(), parts = std::min<std::size_t>(static_cast<std::size_t>(n_threads_), n);
  for (std::size_t p = 0; p < parts; ++p) {
    std::vector<int64_t> share(indices->begin() + static_cast<std::ptrdiff_t>(n * p / parts),
                               indices->begin() + static_cast<std::ptrdiff_t>(n * (p + 1) / parts));
    pending_->push_back(std::async(std::launch::async, [d = dataset_, share = std::move(share)] { return d[share]; }));
  }
}

std::optional<Examples> MultithreadIterator::try_next() {
  if (!prefetched_) prefetch();
  if (!pending_) return {};
  Examples batch;
  for (auto& f : *pending_)
    for (Example& e : f.get()) batch.push_back(std::move(e));
  position_ = ahead_;
  prefetch();
  return batch;
}
void MultithreadIterator::finalize() {
  pending_.reset();  // waits for the threads
  prefetched_ = false;
}
void MultithreadIterator::reset() {
  finalize();
  position_ = first_position(dataset_.size(), sampler_);
}
void MultithreadIterator::serialize(Serializer& s) {
  position_.serialize(s, dataset_.size(), "_order");
  if (s.is_loading()) finalize();
}

}  // namespace iterators
}  // namespace chainer
