// SPDX-License-Identifier: MIT
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

struct Slice;

/// One example, or a batch of examples after concat_examples(): a single array, a tuple of arrays, or arrays by name.
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
  /// Returns an array by name. Throws KeyError if there is none; the overload with a position throws IndexError.
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

/// Base of datasets: a length and examples by index. Derive from Dataset for your own.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  /// Returns the example at 0 <= i < size(). Callers check the range.
  virtual Example get(int64_t i) const = 0;
  /// The example at i; negative indices count from the end, IndexError outside.
  Example operator[](int64_t i) const;
  Examples operator[](const std::vector<int64_t>& indices) const;
  /// The examples of a slice: dataset[Slice(0, 3)].
  template <std::same_as<Slice> S>  // a template, so that dataset[{0, 3}] is two examples
  Examples operator[](const S& s) const {
    return sliced(s);
  }
  /// start : stop : step as a slice takes it.
  Examples slice(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step = 1) const;

 private:
  Examples sliced(const Slice& s) const;
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
  /// Returns an example, or several; negative indices count from the end. Throws IndexError out of range.
  Example operator[](int64_t i) const { return get()[i]; }
  Examples operator[](const std::vector<int64_t>& indices) const { return get()[indices]; }
  template <std::same_as<Slice> S>
  Examples operator[](const S& s) const {
    return get()[s];
  }
  /// Returns the examples of the slice start : stop : step. Throws ValueError for step 0.
  Examples slice(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step = 1) const {
    return get().slice(start, stop, step);
  }
  const Dataset& get() const {
    if (!dataset_) throw RuntimeError("AnyDataset: the object holds no dataset");
    return *dataset_;
  }
  explicit operator bool() const { return dataset_ != nullptr; }

 private:
  std::shared_ptr<const Dataset> dataset_;
};
inline int64_t len(const AnyDataset& d) { return d.size(); }

/// The padding of concat_examples(): none, one number, or one for each entry of a tuple (or name of a dict).
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

/// Stacks examples along a new first axis: arrays (...) give (N, ...), tuples give a tuple, dicts a dict. With a
/// padding value, arrays of different shapes are padded to the largest. Throws ValueError for an empty batch, for
/// examples of different kinds, and for different shapes without padding.
Example concat_examples(const Examples& batch, const std::optional<Device>& device = {}, const Padding& padding = {});
/// concat_examples() for tuples of N: auto [x, t] = concat_examples<2>(batch). Throws ValueError for other sizes.
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
/// concat_examples() for batches that are copied to one device, possibly in parallel to the caller. On the host,
/// nothing is copied. Throws ValueError for another device than at the first call.
class ConcatWithAsyncTransfer {
 public:
  Example operator()(const Examples& batch, const std::optional<Device>& device = {}, const Padding& padding = {});

 private:
  std::optional<Device> device_;
};
}  // namespace dataset
/// Moves x to a device; returns x if `device` is none.
Array to_device(const std::optional<Device>& device, const Array& x);

}  // namespace chainer
