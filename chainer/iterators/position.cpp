#include "chainer/iterators/position.h"

#include <algorithm>
#include <numeric>

#include "chainer/datasets/example_random.h"
#include "chainer/iterators/example_error.h"
#include "chainer/routines/creation.h"

namespace chainer::iterators {
namespace {

std::vector<int64_t> sample(const OrderSampler& sampler, const std::vector<int64_t>& current, int64_t position) {
  std::vector<int64_t> order = sampler(current, position);
  if (order.size() != current.size())
    throw ValueError("the order of an epoch must keep its length: ", current.size(), " became ", order.size());
  return order;
}

}  // namespace

void check_batches(const AnyDataset& d, int64_t batch_size) {
  if (batch_size <= 0) throw ValueError("an iterator's batch_size must be positive, not ", batch_size);
  if (d.size() == 0) throw ValueError("an iterator needs a dataset with examples");
}

Examples read_examples(const AnyDataset& d, const std::vector<int64_t>& indices, int64_t visit) {
  Examples out;
  out.reserve(indices.size());
  for (int64_t i : indices) {
    dataset::begin_example(visit++);
    try {
      out.push_back(d[i]);
    } catch (...) { std::rethrow_exception(example_error(i)); }
  }
  return out;
}

Position first_position(int64_t size, const OrderSampler& sampler) {
  Position p;
  if (!sampler) return p;
  std::vector<int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  p.order = sample(sampler, order, 0);
  return p;
}

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
  s.count("current_position", current_position);
  s.count("epoch", epoch);
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

}  // namespace chainer::iterators
