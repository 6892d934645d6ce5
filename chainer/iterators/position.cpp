// SPDX-License-Identifier: MIT
#include "chainer/iterators/position.h"

#include <algorithm>
#include <numeric>

#include "chainer/array/index.h"
#include "chainer/core/system/machine.h"
#include "chainer/datasets/example_random.h"
#include "chainer/iterators/example_error.h"
#include "chainer/iterators/workers.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::iterators {
namespace {

Order sample(const OrderSampler& sampler, const std::vector<int64_t>& current, int64_t position) {
  std::vector<int64_t> order = sampler(current, position);
  if (order.size() != current.size())
    throw ValueError("order_sampler must return as many indices as it gets: expected ", current.size(), ", got ",
                     order.size());
  return std::make_shared<const std::vector<int64_t>>(std::move(order));
}

Order checked_order(std::vector<int64_t> order, int64_t size) {
  for (const int64_t i : order)
    if (i < 0 || i >= size)
      throw ValueError("iterator: the stored order contains example ", i, ", the dataset has ", size);
  return std::make_shared<const std::vector<int64_t>>(std::move(order));
}

}  // namespace

void check_batches(const AnyDataset& d, int64_t batch_size, bool repeat) {
  if (batch_size <= 0) throw ValueError("an iterator's batch_size must be positive, not ", batch_size);
  if (d.size() == 0) throw ValueError("an iterator needs a dataset with examples");
  if (!repeat || batch_size <= d.size()) return;
  const double each = static_cast<double>(write_example(read_examples(d, {0}, 0)[0], nullptr, 0)),
               there = static_cast<double>(machine::memory_bytes());
  if (each * static_cast<double>(batch_size) > there)
    throw MemoryError("an iterator's batch of ", batch_size, " examples of ", each, " bytes does not fit into the ",
                      there, " bytes of this machine's memory; the dataset has ", d.size(), " examples");
  warn(text("an iterator's batch_size of ", batch_size, " is larger than its dataset of ", d.size(),
            " examples: a batch holds examples several times and passes ", batch_size / d.size(),
            " epochs or more, for which triggers of an epoch fire once. Choose a batch_size of at most ", d.size()));
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

std::optional<std::vector<int64_t>> Position::advance(int64_t batch_size, int64_t size, bool repeat,
                                                      const NextOrder& next_order) {
  if (!repeat && epoch > 0) return {};
  previous_epoch_detail = epoch_detail(size);
  is_new_epoch = false;
  std::vector<int64_t> out;
  out.reserve(static_cast<std::size_t>(std::min(batch_size, size)));
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
    if (order) order = next_order(*order, begin);
  }
  return out;
}

void Position::serialize(Serializer& s, int64_t size, const char* order_key) {
  s.count("current_position", current_position);
  s.count("epoch", epoch);
  s("is_new_epoch", is_new_epoch);
  if (order) {
    // Files of iterators use one of two names; each iterator reads both.
    const char* other = std::string_view(order_key) == "order" ? "_order" : "order";
    const char* key = s.is_loading() && !s.contains(order_key) && s.contains(other) ? other : order_key;
    Array a = s.is_loading() ? Array() : array(*order);
    s(key, a);
    if (s.is_loading() && a && a.size() != size)
      throw ValueError(
          "iterator: the stored '", key, "' is of ", a.size(), " examples, the dataset has ", size,
          ". A run resumes with the same dataset; if the file was written by one of several ranks, whose ",
          "datasets are parts, use chainermn::create_multi_node_checkpointer(), which resumes with another ",
          "number of ranks");
    if (s.is_loading() && a) order = checked_order(a.to_vector<int64_t>(), size);
  }
  double previous = previous_epoch_detail.value_or(-1);
  if (!s.is_loading() || s.contains("previous_epoch_detail")) s("previous_epoch_detail", previous);
  previous_epoch_detail = previous < 0 ? std::nullopt : std::optional<double>(previous);
  if (current_position < 0 || current_position > size)
    throw ValueError("iterator: the stored position ", current_position, " is outside the dataset of ", size);
}

Position Planner::start(int64_t size) {
  kept_.clear();
  Position p;
  if (!sampler_) return p;
  std::vector<int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  p.order = sample(sampler_, order, 0);
  return p;
}

std::optional<PlannedBatch> Planner::plan(const Position& from, int64_t batch_size, int64_t size, bool repeat) {
  PlannedBatch b{{}, from.visits(size), from, {}};
  const auto next_order = [&](const std::vector<int64_t>& current, int64_t at) {
    if (kept_.empty()) {
      b.orders.push_back(sample(sampler_, current, at));
    } else {
      b.orders.push_back(std::move(kept_.front()));
      kept_.pop_front();
    }
    return b.orders.back();
  };
  try {
    auto indices = b.after.advance(batch_size, size, repeat, next_order);
    if (!indices) return {};
    b.indices = std::move(*indices);
  } catch (...) {  // thrown by the sampler
    give_back(b);
    throw;
  }
  return b;
}

void Planner::give_back(const PlannedBatch& b) { kept_.insert(kept_.begin(), b.orders.begin(), b.orders.end()); }

void Planner::serialize(Serializer& s, int64_t size, const std::vector<Order>& under_way) {
  if (auto* seeded = sampler_.target<SeededOrderSampler>()) seeded->serialize(s);
  const char* const key = "_orders_ahead";  // not in the reference release, whose iterators draw these orders again
  if (s.is_loading()) {
    kept_.clear();
    if (!sampler_ || !s.contains(key)) return;
    Array ahead;
    s(key, ahead);
    if (!ahead || ahead.ndim() != 2 || ahead.shape()[1] != size)
      throw ValueError("iterator: the stored orders ahead have shape ", ahead ? to_string(ahead.shape()) : "of none",
                       " for a dataset of ", size);
    for (int64_t i = 0; i < len(ahead); ++i) kept_.push_back(checked_order(ahead[i].to_vector<int64_t>(), size));
    return;
  }
  std::vector<int64_t> flat;
  const auto append = [&](const Order& order) { flat.insert(flat.end(), order->begin(), order->end()); };
  for (const Order& order : under_way) append(order);
  for (const Order& order : kept_) append(order);
  if (flat.empty()) return;
  Array ahead = chainer::array(flat).reshape({-1, size});
  s(key, ahead);
}

}  // namespace chainer::iterators
