// Datasets: examples by index.
#pragma once
#include <array>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// One example, or a batch of them after concat_examples: a single array, a tuple of arrays, or arrays by name.
class Example {
 public:
  Example() = default;
  Example(Array a) : arrays_{std::move(a)}, single_(true) {}
  Example(std::initializer_list<Array> tuple) : arrays_(tuple) {}
  explicit Example(Arrays tuple) : arrays_(std::move(tuple)) {}
  explicit Example(std::vector<std::pair<std::string, Array>> dict) {
    for (auto& [name, a] : dict) names_.push_back(std::move(name)), arrays_.push_back(std::move(a));
  }
  bool is_single() const { return single_; }
  bool is_dict() const { return !names_.empty(); }
  std::size_t size() const { return arrays_.size(); }
  const Array& operator[](std::size_t i) const;
  /// By name; KeyError if there is none.
  const Array& operator[](const std::string& name) const;
  const Arrays& arrays() const& { return arrays_; }
  Arrays arrays() && { return std::move(arrays_); }  // for (const Array& a : dataset.get(i).arrays())
  const std::vector<std::string>& names() const { return names_; }

 private:
  Arrays arrays_;
  std::vector<std::string> names_;
  bool single_ = false;
};
using Examples = std::vector<Example>;

/// Base of datasets: a length and examples by index. Derive from it for one of your own.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  /// The example at 0 <= i < size(); callers have checked the range.
  virtual Example get(int64_t i) const = 0;
};

/// Any dataset as a value: a copy (or the moved original) of a Dataset, a shared one, or an array of rows.
class AnyDataset {
 public:
  AnyDataset() = default;
  AnyDataset(const Array& rows);
  template <std::derived_from<Dataset> D>
  AnyDataset(D d) : dataset_(std::make_shared<const D>(std::move(d))) {}
  template <std::derived_from<Dataset> D>
  AnyDataset(std::shared_ptr<D> d) : dataset_(std::move(d)) {}
  int64_t size() const { return get().size(); }
  /// Negative indices count from the end; IndexError outside.
  Example operator[](int64_t i) const;
  Examples operator[](const std::vector<int64_t>& indices) const;
  /// start : stop : step as a slice takes it.
  Examples slice(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step = 1) const;
  const Dataset& get() const {
    if (!dataset_) throw RuntimeError("AnyDataset: there is no dataset in it");
    return *dataset_;
  }
  explicit operator bool() const { return dataset_ != nullptr; }

 private:
  std::shared_ptr<const Dataset> dataset_;
};
inline int64_t len(const AnyDataset& d) { return d.size(); }

/// What padding concat_examples uses: none, one number, or one for each entry of a tuple (or name of a dict).
class Padding {
 public:
  Padding() = default;
  Padding(std::nullopt_t) {}
  template <class T>
  requires std::is_arithmetic_v<T> Padding(T all) : all_(Scalar(all)) {}
  Padding(std::vector<std::optional<Scalar>> each) : each_(std::move(each)) {}
  Padding(std::map<std::string, std::optional<Scalar>> named) : named_(std::move(named)) {}
  std::optional<Scalar> of(std::size_t i, const std::string& name) const;

 private:
  std::optional<Scalar> all_;
  std::vector<std::optional<Scalar>> each_;
  std::map<std::string, std::optional<Scalar>> named_;
};

/// A list of examples as arrays with a new first axis: tuples give a tuple, dicts a dict. Arrays of unequal shape need
/// a padding value, and are padded to the largest. An empty batch is a ValueError.
Example concat_examples(const Examples& batch, const std::optional<Device>& device = {}, const Padding& padding = {});
/// The same for tuples of N: auto [x, t] = concat_examples<2>(batch).
template <std::size_t N>
std::array<Array, N> concat_examples(const Examples& batch, const std::optional<Device>& device = {},
                                     const Padding& padding = {}) {
  const Example e = concat_examples(batch, device, padding);
  if (e.size() != N) throw ValueError("concat_examples<", N, ">: examples have ", e.size(), " entries");
  std::array<Array, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = e[i];
  return out;
}
using Converter = std::function<Example(const Examples&, const std::optional<Device>&)>;
namespace dataset {
/// concat_examples for batches that go to one device: the copy to it may run beside the caller's work. On the host
/// there is nothing to copy, and it is concat_examples. Another device than at the first call is a ValueError.
class ConcatWithAsyncTransfer {
 public:
  Example operator()(const Examples& batch, const std::optional<Device>& device = {}, const Padding& padding = {});

 private:
  std::optional<Device> device_;
};
}  // namespace dataset
/// None leaves x where it is.
Array to_device(const std::optional<Device>& device, const Array& x);

}  // namespace chainer
