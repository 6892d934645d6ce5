// General and named datasets (manual: "Dataset Examples").
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/datasets/dataset.h"

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

/// Options of get_mnist() and get_fashion_mnist(), in the manual's order.
struct MnistOptions {
  bool withlabel = true;
  int64_t ndim = 1;    ///< 1: (784,); 2: (28, 28); 3: (1, 28, 28)
  double scale = 1.0;  ///< pixels are in [0, scale]
  std::optional<Dtype> dtype = {};
  Dtype label_dtype = int32;
  bool rgb_format = false;  ///< (3, 28, 28), with ndim 3
};
struct TrainTest {
  AnyDataset train, test;
};
/// The handwritten digits of LeCun, Cortes and Burges: 60,000 for training and 10,000 for testing. Downloaded on first
/// use into the dataset cache (see download.h) and checked.
TrainTest get_mnist(const MnistOptions& options = {});
/// Fashion-MNIST of Xiao et al., same form.
TrainTest get_fashion_mnist(const MnistOptions& options = {});
const std::vector<std::string>& get_fashion_mnist_labels();
/// Digits drawn by the program (strokes under random affine and elastic distortion, fixed seed): the shapes and types
/// of MNIST where there is no network.
TrainTest get_drawn_digits(const MnistOptions& options = {}, int64_t train_size = 60000, int64_t test_size = 10000);
/// The same from images (n, 784) and labels (n,) of bytes that are there already.
AnyDataset make_mnist_dataset(const Array& images, const Array& labels, const MnistOptions& options = {});

}  // namespace chainer::datasets
