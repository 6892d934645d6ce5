// SPDX-License-Identifier: MIT
// Weighted sums of some elements along an axis: how pictures are resized.
#pragma once
#include <vector>

#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// The elements of an axis of length `in` that each result is made of, with their weights: a sparse matrix by rows.
class Taps {
 public:
  explicit Taps(int64_t in) : in_(in) {}
  /// Begins the next result.
  void begin() { starts_.push_back(static_cast<int64_t>(index_.size())); }
  /// Adds an element to the result that was begun last; one that it has already gets the sum of both weights.
  void add(int64_t index, double weight);
  /// Multiplies the weights of the last result.
  void scale(double factor);
  int64_t in() const { return in_; }
  int64_t out() const { return static_cast<int64_t>(starts_.size()); }
  /// Weights and positions of result i: from begin_of(i) to begin_of(i + 1).
  int64_t begin_of(int64_t i) const {
    return i < out() ? starts_[static_cast<std::size_t>(i)] : static_cast<int64_t>(index_.size());
  }
  int64_t index(int64_t k) const { return index_[static_cast<std::size_t>(k)]; }
  double weight(int64_t k) const { return weight_[static_cast<std::size_t>(k)]; }
  /// The matrix of the gradient.
  Taps transposed() const;
  /// The matrix (out, in), not sparse, in float64.
  Array matrix() const;

 private:
  int64_t in_;
  std::vector<int64_t> starts_, index_;
  std::vector<double> weight_;
};

/// y[..., i, ...] = sum over k of weight(k) x[..., index(k), ...] along `axis`, whose length is taps.in(). One pass
/// over the results on the host, a product with the matrix on other devices. Differentiable to any order.
Variable resample(const Variable& x, int axis, const Taps& taps);

}  // namespace chainer::functions
