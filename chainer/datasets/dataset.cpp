// SPDX-License-Identifier: MIT
#include "chainer/datasets/dataset.h"

#include <algorithm>
#include <cstring>

#include "chainer/array/backend.h"
#include "chainer/array/index.h"
#include "chainer/core/parallel.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer {
namespace {

struct Rows : Dataset {
  explicit Rows(Array a) : rows(std::move(a)) {}
  int64_t size() const override { return len(rows); }
  Example get(int64_t i) const override { return rows[i]; }
  Array rows;
};

}  // namespace

const Array& Example::operator[](std::size_t i) const {
  if (i >= arrays_.size()) throw IndexError("example: entry ", i, " is out of range for ", arrays_.size());
  return arrays_[i];
}
const Array& Example::operator[](const std::string& name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return arrays_[i];
  throw KeyError("example: no entry '", name, "'");
}

AnyDataset::AnyDataset(const Array& rows) : dataset_(std::make_shared<const Rows>(rows)) {}

Example Dataset::operator[](int64_t i) const {
  const int64_t n = size();
  if (i < -n || i >= n) throw IndexError("dataset: index ", i, " is out of range for ", n, " examples");
  return get(i < 0 ? i + n : i);
}
Examples Dataset::operator[](const std::vector<int64_t>& indices) const {
  Examples out;
  out.reserve(indices.size());
  for (int64_t i : indices) out.push_back((*this)[i]);
  return out;
}
Examples Dataset::sliced(const Slice& s) const { return slice(s.start, s.stop, s.step); }
Examples Dataset::slice(std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step) const {
  if (step == 0) throw ValueError("dataset: slice step cannot be zero");
  const int64_t n = size();
  const auto bound = [&](int64_t v) {
    return std::clamp<int64_t>(v < 0 ? v + n : v, step > 0 ? 0 : -1, step > 0 ? n : n - 1);
  };
  const int64_t a = start ? bound(*start) : step > 0 ? 0 : n - 1, b = stop ? bound(*stop) : step > 0 ? n : -1;
  // Counted first, because a large step past the end may be no number of 64 bits.
  const uint64_t length = static_cast<uint64_t>(std::max<int64_t>(0, step > 0 ? b - a : a - b));
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const auto count = static_cast<int64_t>(length / stride + (length % stride != 0));
  Examples out;
  for (int64_t k = 0; k < count; ++k) out.push_back(get(a + k * step));
  return out;
}

std::optional<Scalar> Padding::of(std::size_t i, const std::string& name) const {
  if (all_) return all_;
  if (i < each_.size()) return each_[i];
  if (const auto it = named_.find(name); it != named_.end()) return it->second;
  return {};
}

namespace {
Array join(const Examples& batch, std::size_t entry, std::optional<Scalar> padding) {
  const Array& first = batch[0].arrays()[entry];
  Shape largest = first.shape();
  Dtype dtype = first.dtype();  // promoted until it holds the values of all examples
  bool equal = true;
  for (const Example& e : batch) {
    const Shape& s = e.arrays()[entry].shape();
    dtype = promote(dtype, e.arrays()[entry].dtype());
    if (s == first.shape()) continue;
    equal = false;
    if (!padding || s.ndim() != largest.ndim())
      throw ValueError("concat_examples: entry ", entry, " has arrays of shapes ", first.shape(), " and ", s,
                       padding ? " with different numbers of axes" : "; give a padding value");
    for (int d = 0; d < s.ndim(); ++d) largest[d] = std::max(largest[d], s[d]);
  }
  Shape shape = largest;
  shape.insert(0, static_cast<int64_t>(batch.size()));
  Array out(shape, dtype, first.device());
  const bool plain = equal && std::all_of(batch.begin(), batch.end(), [&](const Example& e) {
                       const Array& a = e.arrays()[entry];
                       return a.is_contiguous() && a.dtype() == dtype && a.device() == Device();
                     });
  if (plain && first.nbytes() > 0) {
    // All examples have the same layout: rows are copied as bytes.
    auto* to = static_cast<char*>(out.mutable_raw());
    const auto row = static_cast<std::size_t>(first.nbytes());
    for (const Example& e : batch) (void)e.arrays()[entry].raw();  // evaluate deferred arrays in this thread
    cpu::parallel_ranges(static_cast<int64_t>(batch.size()), out.nbytes() / 4, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto k = static_cast<std::size_t>(i);
        std::memcpy(to + k * row, batch[k].arrays()[entry].raw(), row);
      }
    });
    return out;
  }
  if (!equal) out.fill(*padding);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Array& a = batch[i].arrays()[entry];
    Indices at{static_cast<int64_t>(i)};
    if (!equal)
      for (int d = 0; d < a.ndim(); ++d) at.push_back(Slice(0, a.shape()[d]));
    Array row = get_item(out, at);
    copy_elements(a, row);
  }
  return out;
}
}  // namespace

Array to_device(const std::optional<Device>& device, const Array& x) { return device ? x.to_device(*device) : x; }

namespace {
// Dictionaries with their entries in one order.
Examples with_entries_of(const Example& first, const Examples& batch) {
  Examples out;
  for (const Example& e : batch) {
    std::vector<std::pair<std::string, Array>> entries;
    for (const std::string& name : first.names()) {
      const auto at = std::find(e.names().begin(), e.names().end(), name);
      if (at == e.names().end()) throw KeyError("concat_examples: an example has no entry '", name, "'");
      entries.emplace_back(name, e.arrays()[static_cast<std::size_t>(at - e.names().begin())]);
    }
    out.push_back(Example(std::move(entries)));
  }
  return out;
}
std::string kind_of(const Example& e) {
  if (e.is_single()) return "an array";
  return text(e.is_dict() ? "a dictionary with " : "a tuple with ", e.size(), e.size() == 1 ? " entry" : " entries");
}
}  // namespace

Example concat_examples(const Examples& batch, const std::optional<Device>& device, const Padding& padding) {
  if (batch.empty()) throw ValueError("concat_examples: the batch is empty");
  const Example& first = batch[0];
  bool reordered = false;
  for (const Example& e : batch) {
    if (e.size() != first.size() || e.names().size() != first.names().size() || e.is_single() != first.is_single())
      throw ValueError("concat_examples: examples of different kinds, ", kind_of(first), " and ", kind_of(e));
    reordered = reordered || e.names() != first.names();
  }
  if (reordered) return concat_examples(with_entries_of(first, batch), device, padding);
  Arrays joined;
  for (std::size_t i = 0; i < first.size(); ++i)
    joined.push_back(to_device(device, join(batch, i, padding.of(i, first.is_dict() ? first.names()[i] : ""))));
  if (first.is_single()) return Example(joined[0]);
  if (!first.is_dict()) return Example(std::move(joined));
  std::vector<std::pair<std::string, Array>> dict;
  for (std::size_t i = 0; i < joined.size(); ++i) dict.emplace_back(first.names()[i], joined[i]);
  return Example(std::move(dict));
}

Example dataset::ConcatWithAsyncTransfer::operator()(const Examples& batch, const std::optional<Device>& device,
                                                     const Padding& padding) {
  const Device to = device.value_or(Device());
  if (device_ && !(*device_ == to))
    throw ValueError("ConcatWithAsyncTransfer: all batches must go to one device, got ", *device_, " and ", to);
  device_ = to;
  return concat_examples(batch, to, padding);
}

}  // namespace chainer
