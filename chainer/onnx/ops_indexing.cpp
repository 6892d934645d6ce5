// SPDX-License-Identifier: MIT
// Gathering, scattering, sorting and selecting elements.
#include <algorithm>

#include "chainer/array/recording/step.h"
#include "chainer/array/index.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/onnx/scatter.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"
#include "chainer/routines/sorting.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

// Returns indices as int64. Throws IndexError unless they are in [-n, n).
Array checked(const Call& c, const Array& indices, int64_t n) {
  const Array i = indices.astype(int64, false);
  recording::step("indices", {&i, 1}, {}, [where = text(c.where()), n](std::span<const Array> in, std::span<Array>) {
    if (in[0].size() == 0) return;
    const auto least = chainer::min(in[0]).item<int64_t>(), most = chainer::max(in[0]).item<int64_t>();
    if (least < -n || most >= n)
      throw IndexError(where, ": indices from ", least, " to ", most, " are out of range for an axis of length ", n);
  });
  return i;
}

// Returns 0, 1, ... along one of `ndim` axes.
Array places(int64_t n, int axis, int ndim) {
  Shape shape = Shape(Dims::filled(ndim, 1));
  shape[axis] = n;
  return arange(n).reshape(shape);
}

Variables gather(const Call& c) {
  const Variable& x = c[0];
  const int axis = c.axis(c.integer("axis", 0), x.ndim());
  Indices indices(static_cast<std::size_t>(axis), Slice());
  const Array at = checked(c, c.array(1), x.shape()[axis]);
  if (at.ndim() == 0)
    indices.push_back(at.item<int64_t>());
  else
    indices.push_back(at);
  return {F::get_item(x, indices)};
}

// Returns the index of x with positions `indices` along one axis and their own positions along the others.
Indices along_axis(const Call& c, const Array& indices, const Shape& x, int axis) {
  if (indices.ndim() != x.ndim()) c.fail("indices of shape ", indices.shape(), " for an array of shape ", x);
  Indices out;
  for (int d = 0; d < x.ndim(); ++d) {
    if (d != axis && indices.shape()[d] > x[d])
      c.fail("indices of shape ", indices.shape(), " for an array of shape ", x);
    out.push_back(d == axis ? checked(c, indices, x[d]) : places(indices.shape()[d], d, x.ndim()));
  }
  return out;
}

// Returns the index for tuples in the last axis of `indices`, after `batch` common axes.
Indices by_tuples(const Call& c, const Array& indices, const Shape& x, int64_t batch) {
  const int ndim = indices.ndim();
  if (ndim < 1 || batch < 0 || batch >= ndim)
    c.fail("indices of shape ", indices.shape(), " with ", batch, " batch axes");
  const int64_t k = indices.shape(-1);
  if (k + batch > x.ndim()) c.fail("index tuples of length ", k, " for an array of shape ", x);
  Indices out;
  for (int d = 0; d < static_cast<int>(batch); ++d) {
    if (indices.shape()[d] != x[d]) c.fail("indices of shape ", indices.shape(), " for an array of shape ", x);
    out.push_back(places(indices.shape()[d], d, ndim - 1));
  }
  for (int64_t i = 0; i < k; ++i) out.push_back(checked(c, indices[{ellipsis, i}], x[batch + i]));
  return out;
}

Variables gather_elements(const Call& c) {
  const int axis = c.axis(c.integer("axis", 0), c[0].ndim());
  return {F::get_item(c[0], along_axis(c, c.array(1), c[0].shape(), axis))};
}
Variables gather_nd(const Call& c) {
  return {F::get_item(c[0], by_tuples(c, c.array(1), c[0].shape(), c.integer("batch_dims", 0)))};
}

Variables scatter_elements(const Call& c) {
  const int axis = c.axis(c.integer("axis", 0), c[0].ndim());
  if (c[2].shape() != c[1].shape()) c.fail("updates of shape ", c[2].shape(), " for indices of shape ", c[1].shape());
  return {scattered(c, along_axis(c, c.array(1), c[0].shape(), axis))};
}
Variables scatter_nd(const Call& c) { return {scattered(c, by_tuples(c, c.array(1), c[0].shape(), 0))}; }

Variables compress(const Call& c) {
  const bool flat = !c.contains("axis");
  const Variable x = flat ? F::reshape(c[0], {c[0].size()}) : c[0];
  const int axis = flat ? 0 : c.axis(c.integer("axis"), x.ndim());
  const Array kept = nonzero(c.array(1).ravel())[0];
  Indices indices(static_cast<std::size_t>(axis), Slice());
  indices.push_back(checked(c, kept, x.shape()[axis]));
  return {F::get_item(x, indices)};
}

Variables nonzero_places(const Call& c) {
  const Array x = c[0].ndim() ? c.array(0) : c.array(0).reshape({1});
  return {Variable(stack(nonzero(x), 0), false)};
}

Variables top_k(const Call& c) {
  const Variable& x = c[0];
  const int axis = c.axis(c.integer("axis", -1), x.ndim());
  const int64_t n = x.shape()[axis], k = c.has(1) ? c[1].item<int64_t>() : c.integer("k");
  if (k < 0 || k > n) c.fail("the ", k, " greatest of ", n, " elements");
  Array order;
  if (c.integer("largest", 1)) {
    // Reverses a stable sort of the reversed axis, so that the first of equal elements comes first.
    order = flip(Scalar(n - 1) - argsort(flip(x.array(), axis), axis), axis);
  } else {
    order = argsort(x.array(), axis);
  }
  Indices first(static_cast<std::size_t>(axis), Slice());
  first.push_back(Slice(0, k));
  const Array best = get_item(order, first);
  return {F::get_item(x, along_axis(c, best, x.shape(), axis)), Variable(best, false)};
}

// Returns distinct elements, or slices along an axis, sorted or in the order of their first occurrence. T is int64_t,
// or double for floating elements.
template <class T>
Variables unique_of(const Call& c) {
  Array x = c.array(0);
  const bool flat = !c.contains("axis");
  const int axis = flat ? 0 : c.axis(c.integer("axis"), x.ndim());
  if (flat) x = x.ravel();
  const Array rows = moveaxis(x, axis, 0);
  const int64_t n = rows.shape()[0], width = n ? rows.size() / n : 0;
  const std::vector<T> v = rows.to_vector<T>();
  const auto row = [&](int64_t i) { return v.data() + i * width; };
  const auto less = [&](int64_t a, int64_t b) {
    return std::lexicographical_compare(row(a), row(a) + width, row(b), row(b) + width);
  };
  std::vector<int64_t> order(static_cast<std::size_t>(n));
  for (int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::stable_sort(order.begin(), order.end(), less);
  std::vector<int64_t> first, group(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || less(order[i - 1], order[i])) first.push_back(order[i]);
    group[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(first.size()) - 1;
  }
  std::vector<int64_t> rank(first.size());
  for (std::size_t i = 0; i < rank.size(); ++i) rank[i] = static_cast<int64_t>(i);
  if (!c.integer("sorted", 1)) {
    std::sort(rank.begin(), rank.end(), [&](int64_t a, int64_t b) {
      return first[static_cast<std::size_t>(a)] < first[static_cast<std::size_t>(b)];
    });
  }
  std::vector<int64_t> place(rank.size()), shown, counts(rank.size(), 0), inverse;
  for (std::size_t i = 0; i < rank.size(); ++i) {
    place[static_cast<std::size_t>(rank[i])] = static_cast<int64_t>(i);
    shown.push_back(first[static_cast<std::size_t>(rank[i])]);
  }
  for (const int64_t g : group) {
    inverse.push_back(place[static_cast<std::size_t>(g)]);
    ++counts[static_cast<std::size_t>(inverse.back())];
  }
  const auto list = [](const std::vector<int64_t>& l) {
    return Variable(array(l, Shape{static_cast<int64_t>(l.size())}), false);
  };
  const Array at = list(shown).array();
  Indices indices(static_cast<std::size_t>(axis), Slice());
  indices.push_back(at);
  const Variable y = c.floating() ? F::get_item(flat ? F::reshape(c[0], {x.size()}) : c[0], indices)
                                  : Variable(take(x, at, axis), false);
  return {y, list(shown), list(inverse), list(counts)};
}

Variables unique(const Call& c) { return c.floating() ? unique_of<double>(c) : unique_of<int64_t>(c); }

Variables reverse_sequence(const Call& c) {
  const Variable& x = c[0];
  const int time = c.axis(c.integer("time_axis", 0), x.ndim()), batch = c.axis(c.integer("batch_axis", 1), x.ndim());
  const std::vector<int64_t> lengths = c.values(1);
  const int64_t steps = x.shape()[time], n = x.shape()[batch];
  if (time == batch || static_cast<int64_t>(lengths.size()) != n) c.fail(lengths.size(), " lengths for a batch of ", n);
  Shape along = Shape(Dims::filled(x.ndim(), 1));
  along[batch] = n;
  const Array length = array(lengths, along), t = places(steps, time, x.ndim());
  const Array from = chainer::where(t < length, length - 1 - t, t);
  Indices indices;
  for (int d = 0; d < x.ndim(); ++d)
    indices.push_back(d == time ? checked(c, from, steps) : places(x.shape()[d], d, x.ndim()));
  return {F::get_item(x, indices)};
}

constexpr Operator kOperators[] = {
    {"Compress", 9, compress},
    {"Gather", 1, gather, 1},
    {"GatherElements", 11, gather_elements},
    {"GatherND", 11, gather_nd},
    {"NonZero", 9, nonzero_places},
    {"ReverseSequence", 10, reverse_sequence},
    {"Scatter", 9, scatter_elements},
    {"ScatterElements", 11, scatter_elements},
    {"ScatterND", 11, scatter_nd},
    {"TopK", 1, top_k},
    {"Unique", 11, unique},
};

}  // namespace

std::span<const Operator> indexing_operators() { return kOperators; }

}  // namespace chainer::onnx
