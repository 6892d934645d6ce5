// SPDX-License-Identifier: MIT
// Datasets (manual: "Dataset Examples"): general ones here, the others in headers by topic.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/datasets/csv.h"
#include "chainer/datasets/dataset.h"
#include "chainer/datasets/images.h"
#include "chainer/datasets/named.h"
#include "chainer/datasets/pickle_dataset.h"
#include "chainer/datasets/text.h"
#include "chainer/datasets/transforms.h"

namespace chainer::datasets {

/// Examples are tuples of the examples of several datasets. The constructor throws ValueError if there is no dataset or
/// the lengths differ.
class TupleDataset : public Dataset {
 public:
  template <class... D>
  requires(sizeof...(D) > 0 && (std::is_convertible_v<D, AnyDataset> && ...) &&
           !(std::same_as<D, TupleDataset> && ...)) explicit TupleDataset(D... datasets)
      : TupleDataset(std::vector<AnyDataset>{AnyDataset(std::move(datasets))...}) {}
  explicit TupleDataset(std::vector<AnyDataset> datasets);
  int64_t size() const override { return datasets_[0].size(); }
  Example get(int64_t i) const override;

 private:
  std::vector<AnyDataset> datasets_;
};

/// Examples are dicts of the examples of several datasets. The constructor throws ValueError if there is no dataset or
/// the lengths differ.
class DictDataset : public Dataset {
 public:
  explicit DictDataset(std::vector<std::pair<std::string, AnyDataset>> datasets);
  int64_t size() const override { return datasets_[0].second.size(); }
  Example get(int64_t i) const override;

 private:
  std::vector<std::pair<std::string, AnyDataset>> datasets_;
};

/// The examples of several datasets, one dataset after the other.
class ConcatenatedDataset : public Dataset {
 public:
  explicit ConcatenatedDataset(std::vector<AnyDataset> datasets) : datasets_(std::move(datasets)) {}
  int64_t size() const override;
  Example get(int64_t i) const override;

 private:
  std::vector<AnyDataset> datasets_;
};

/// Examples start ... finish - 1 of another dataset, in its order or in a given one. The constructor throws ValueError
/// for an invalid range or an order of another length than the dataset.
class SubDataset : public Dataset {
 public:
  SubDataset(AnyDataset dataset, int64_t start, int64_t finish, std::optional<std::vector<int64_t>> order = {});
  int64_t size() const override { return finish_ - start_; }
  Example get(int64_t i) const override;

 private:
  AnyDataset dataset_;
  int64_t start_, finish_;
  std::shared_ptr<const std::vector<int64_t>> order_;
};

/// Returns the first split_at examples and the others. Throws ValueError unless split_at is in 0 ... size.
std::pair<SubDataset, SubDataset> split_dataset(const AnyDataset& dataset, int64_t split_at,
                                                std::optional<std::vector<int64_t>> order = {});
/// split_dataset() in random order, from `seed` or the global generator.
std::pair<SubDataset, SubDataset> split_dataset_random(const AnyDataset& dataset, int64_t first_size,
                                                       std::optional<uint32_t> seed = {});
/// Returns n parts of size len / n; the remaining examples are dropped. Throws ValueError unless n > 0.
std::vector<SubDataset> split_dataset_n(const AnyDataset& dataset, int64_t n,
                                        std::optional<std::vector<int64_t>> order = {});
std::vector<SubDataset> split_dataset_n_random(const AnyDataset& dataset, int64_t n, std::optional<uint32_t> seed = {});
/// Returns n_fold (training, test) pairs for cross validation. Throws ValueError unless n_fold > 0.
std::vector<std::pair<SubDataset, SubDataset>> get_cross_validation_datasets(
    const AnyDataset& dataset, int64_t n_fold, std::optional<std::vector<int64_t>> order = {});
std::vector<std::pair<SubDataset, SubDataset>> get_cross_validation_datasets_random(const AnyDataset& dataset,
                                                                                    int64_t n_fold,
                                                                                    std::optional<uint32_t> seed = {});

/// Applies a function to each example when it is read.
class TransformDataset : public Dataset {
 public:
  TransformDataset(AnyDataset dataset, std::function<Example(const Example&)> transform)
      : dataset_(std::move(dataset)), transform_(std::move(transform)) {}
  int64_t size() const override { return dataset_.size(); }
  Example get(int64_t i) const override { return transform_(dataset_[i]); }

 private:
  AnyDataset dataset_;
  std::function<Example(const Example&)> transform_;
};

/// Mixup (Zhang et al., arXiv:1710.09412): example i of pictures and labels (x, t) mixed with another one, drawn from
/// dataset::example_random(): (l x_i + (1 - l) x_j, l onehot(t_i) + (1 - l) onehot(t_j)) with l from Beta(alpha,
/// alpha). The second entry is float32 of shape (n_classes,); the loss is -F::sum(t * F::log_softmax(y)) / batch. An
/// alpha of 0 mixes nothing. ValueError for a negative alpha, IndexError for a label outside of 0 ... n_classes - 1.
///   datasets::MixupDataset mixed(datasets::TupleDataset(zeros({4, 2}), array({0, 1, 2, 1})), 3);
///   sum(mixed[1][1])  // 1
class MixupDataset : public Dataset {
 public:
  MixupDataset(AnyDataset dataset, int64_t n_classes, double alpha = 0.2);
  int64_t size() const override { return dataset_.size(); }
  Example get(int64_t i) const override;

 private:
  AnyDataset dataset_;
  int64_t n_classes_;
  double alpha_;
};

}  // namespace chainer::datasets
