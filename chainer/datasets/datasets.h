// Datasets (manual: "Dataset Examples"): the general ones here, the others by topic.
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

/// Examples are tuples of the datasets' examples; all must have one length.
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

/// Examples are dicts of the datasets' examples.
class DictDataset : public Dataset {
 public:
  explicit DictDataset(std::vector<std::pair<std::string, AnyDataset>> datasets);
  int64_t size() const override { return datasets_[0].second.size(); }
  Example get(int64_t i) const override;

 private:
  std::vector<std::pair<std::string, AnyDataset>> datasets_;
};

/// Datasets end to end.
class ConcatenatedDataset : public Dataset {
 public:
  explicit ConcatenatedDataset(std::vector<AnyDataset> datasets) : datasets_(std::move(datasets)) {}
  int64_t size() const override;
  Example get(int64_t i) const override;

 private:
  std::vector<AnyDataset> datasets_;
};

/// Examples start ... finish - 1 of another dataset, in its order or in a given one.
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

/// The first split_at examples and the others.
std::pair<SubDataset, SubDataset> split_dataset(const AnyDataset& dataset, int64_t split_at,
                                                std::optional<std::vector<int64_t>> order = {});
/// In random order, from `seed` or the global generator.
std::pair<SubDataset, SubDataset> split_dataset_random(const AnyDataset& dataset, int64_t first_size,
                                                       std::optional<uint32_t> seed = {});
/// n parts of size len / n; what is left over is dropped.
std::vector<SubDataset> split_dataset_n(const AnyDataset& dataset, int64_t n,
                                        std::optional<std::vector<int64_t>> order = {});
std::vector<SubDataset> split_dataset_n_random(const AnyDataset& dataset, int64_t n, std::optional<uint32_t> seed = {});
/// (training, test) pairs for cross validation.
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

}  // namespace chainer::datasets
