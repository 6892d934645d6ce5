// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "chainer/datasets/datasets.h"
#include "chainer/routines/random.h"

namespace chainer::datasets {

TupleDataset::TupleDataset(std::vector<AnyDataset> datasets) : datasets_(std::move(datasets)) {
  if (datasets_.empty()) throw ValueError("TupleDataset: no datasets are given");
  for (const AnyDataset& d : datasets_)
    if (d.size() != datasets_[0].size())
      throw ValueError("TupleDataset: datasets must have the same number of examples, got ", datasets_[0].size(),
                       " and ", d.size());
}
Example TupleDataset::get(int64_t i) const {
  Arrays out;
  for (const AnyDataset& d : datasets_) {
    const Example e = d.get().get(i);
    for (const Array& a : e.arrays()) out.push_back(a);
  }
  return Example(std::move(out));
}

DictDataset::DictDataset(std::vector<std::pair<std::string, AnyDataset>> datasets) : datasets_(std::move(datasets)) {
  if (datasets_.empty()) throw ValueError("DictDataset: no datasets are given");
  for (const auto& [name, d] : datasets_)
    if (d.size() != size()) throw ValueError("DictDataset: '", name, "' has ", d.size(), " examples, not ", size());
}
Example DictDataset::get(int64_t i) const {
  std::vector<std::pair<std::string, Array>> out;
  for (const auto& [name, d] : datasets_) {
    const Example e = d.get().get(i);
    if (e.size() != 1)
      throw TypeError("DictDataset: an example of '", name, "' has ", e.size(),
                      " arrays, expected 1: give each its own name");
    out.emplace_back(name, e[0]);
  }
  return Example(std::move(out));
}

int64_t ConcatenatedDataset::size() const {
  return std::accumulate(datasets_.begin(), datasets_.end(), int64_t(0),
                         [](int64_t n, const AnyDataset& d) { return n + d.size(); });
}
Example ConcatenatedDataset::get(int64_t i) const {
  for (const AnyDataset& d : datasets_) {
    if (i < d.size()) return d.get().get(i);
    i -= d.size();
  }
  throw IndexError("ConcatenatedDataset: index out of range");
}

SubDataset::SubDataset(AnyDataset dataset, int64_t start, int64_t finish, std::optional<std::vector<int64_t>> order)
    : dataset_(std::move(dataset)), start_(start), finish_(finish) {
  const int64_t n = dataset_.size();
  if (start < 0 || start > finish || finish > n)
    throw ValueError("SubDataset: the range ", start, " ... ", finish, " is not valid for ", n, " examples");
  if (!order) return;
  if (static_cast<int64_t>(order->size()) != n)
    throw ValueError("SubDataset: the order has ", order->size(), " entries, the dataset ", n, " examples");
  order_ = std::make_shared<const std::vector<int64_t>>(std::move(*order));
}
Example SubDataset::get(int64_t i) const {
  return dataset_[order_ ? (*order_)[static_cast<std::size_t>(start_ + i)] : start_ + i];
}

namespace {
std::vector<int64_t> random_order(int64_t n, std::optional<uint32_t> seed) {
  return (seed ? random::RandomState(*seed).permutation(n) : random::permutation(n)).to_vector<int64_t>();
}
}  // namespace

std::pair<SubDataset, SubDataset> split_dataset(const AnyDataset& d, int64_t at,
                                                std::optional<std::vector<int64_t>> order) {
  if (at < 0 || at > d.size()) throw ValueError("split_dataset: split_at ", at, " is outside 0 ... ", d.size());
  return {SubDataset(d, 0, at, order), SubDataset(d, at, d.size(), order)};
}
std::pair<SubDataset, SubDataset> split_dataset_random(const AnyDataset& d, int64_t first_size,
                                                       std::optional<uint32_t> seed) {
  return split_dataset(d, first_size, random_order(d.size(), seed));
}
std::vector<SubDataset> split_dataset_n(const AnyDataset& d, int64_t n, std::optional<std::vector<int64_t>> order) {
  if (n <= 0) throw ValueError("split_dataset_n: n must be positive, not ", n);
  const int64_t size = d.size() / n;
  std::vector<SubDataset> out;
  for (int64_t i = 0; i < n; ++i) out.emplace_back(d, i * size, (i + 1) * size, order);
  return out;
}
std::vector<SubDataset> split_dataset_n_random(const AnyDataset& d, int64_t n, std::optional<uint32_t> seed) {
  return split_dataset_n(d, n, random_order(d.size(), seed));
}

std::vector<std::pair<SubDataset, SubDataset>> get_cross_validation_datasets(
    const AnyDataset& d, int64_t n_fold, std::optional<std::vector<int64_t>> given) {
  const int64_t whole = d.size();
  if (n_fold <= 0) throw ValueError("get_cross_validation_datasets: n_fold must be positive, not ", n_fold);
  std::vector<int64_t> order(static_cast<std::size_t>(whole));
  std::iota(order.begin(), order.end(), 0);
  if (given) order = std::move(*given);
  std::vector<std::pair<SubDataset, SubDataset>> out;
  // Each test block is the end of the order, which is then rotated.
  for (int64_t i = n_fold; i > 0; --i) {
    const int64_t size = whole * i / n_fold - whole * (i - 1) / n_fold;
    out.push_back(split_dataset(d, whole - size, order));
    std::rotate(order.begin(), order.end() - size, order.end());
  }
  return out;
}
std::vector<std::pair<SubDataset, SubDataset>> get_cross_validation_datasets_random(const AnyDataset& d, int64_t n_fold,
                                                                                    std::optional<uint32_t> seed) {
  return get_cross_validation_datasets(d, n_fold, random_order(d.size(), seed));
}

}  // namespace chainer::datasets
