// SPDX-License-Identifier: MIT
#include "chainer/functions/array/resample.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/mixed_precision.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {

void Taps::add(int64_t index, double weight) {
  for (auto k = static_cast<std::size_t>(starts_.back()); k < index_.size(); ++k)
    if (index_[k] == index) {
      weight_[k] += weight;
      return;
    }
  index_.push_back(index);
  weight_.push_back(weight);
}

void Taps::scale(double factor) {
  for (auto k = static_cast<std::size_t>(starts_.back()); k < weight_.size(); ++k) weight_[k] *= factor;
}

Taps Taps::transposed() const {
  std::vector<std::vector<std::pair<int64_t, double>>> columns(static_cast<std::size_t>(in_));
  for (int64_t i = 0; i < out(); ++i)
    for (int64_t k = begin_of(i); k < begin_of(i + 1); ++k)
      columns[static_cast<std::size_t>(index(k))].emplace_back(i, weight(k));
  Taps t(out());
  for (const auto& column : columns) {
    t.begin();
    for (const auto& [i, w] : column) {
      t.index_.push_back(i);
      t.weight_.push_back(w);
    }
  }
  return t;
}

Array Taps::matrix() const {
  Array m = zeros({out(), in_}, float64);
  double* const w = m.mutable_data<double>();
  for (int64_t i = 0; i < out(); ++i)
    for (int64_t k = begin_of(i); k < begin_of(i + 1); ++k) w[i * in_ + index(k)] += weight(k);
  return m;
}

namespace {

// With shorter rows the calls of the kernel cost more than transposing: the axis goes to the front first.
constexpr int64_t kShortRow = 16;
// Up to this length a product with the matrix is faster than transposing twice.
constexpr int64_t kSmallMatrix = 96;

// Resamples the middle axis of a C-contiguous (outer, in, inner) array.
Array along_middle(const Array& x, int64_t outer, int64_t inner, const Taps& taps) {
  int64_t k = 0;
  for (int64_t i = 0; i < taps.out(); ++i) k = std::max(k, taps.begin_of(i + 1) - taps.begin_of(i));
  // Sparse rows of the matrix (outer out, outer in) with k entries each; shorter ones are filled up with weights of
  // zero.
  Array index = zeros({outer * taps.out(), k}, int64), weight = zeros({outer * taps.out(), k}, float64);
  int64_t* at = index.mutable_data<int64_t>();
  double* w = weight.mutable_data<double>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < taps.out(); ++i, at += k, w += k) {
      const int64_t begin = taps.begin_of(i), n = taps.begin_of(i + 1) - begin;
      for (int64_t j = 0; j < k; ++j) {
        at[j] = o * taps.in() + (n ? taps.index(begin + std::min(j, n - 1)) : 0);
        w[j] = j < n ? taps.weight(begin + j) : 0;
      }
    }
  Array y({outer * taps.out(), inner}, x.dtype(), x.device());
  y.device().backend().rows_combine(weight.astype(x.dtype(), false), x.reshape({outer * taps.in(), inner}), index, y);
  return y;
}

Array resampled(const Array& x, int axis, const Taps& taps) {
  Shape shape = x.shape();
  shape[axis] = taps.out();
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < x.ndim(); ++d) (d < axis ? outer : inner) *= d == axis ? 1 : x.shape()[d];
  if (shape.product() == 0 || taps.begin_of(taps.out()) == 0) return zeros(shape, x.dtype(), x.device());
  if (inner >= kShortRow || outer == 1) return along_middle(x.contiguous(), outer, inner, taps).reshape(shape);
  if (inner == 1 && taps.in() <= kSmallMatrix)
    return chainer::matmul(x.reshape({outer, taps.in()}), taps.matrix().astype(x.dtype()).T()).reshape(shape);
  const Array front = x.reshape({outer, taps.in(), inner}).transpose({1, 0, 2}).contiguous();
  const Array y = along_middle(front, 1, outer * inner, taps).reshape({taps.out(), outer, inner});
  return y.transpose({1, 0, 2}).contiguous().reshape(shape);
}

struct ResampleNode : FunctionNode {
  ResampleNode(int a, Taps t) : axis(a), taps(std::move(t)) {}
  std::string label() const override { return "Resample"; }
  // Images with channels last, as convolutions return them, are resampled in that order: their rows are long.
  Arrays forward(const Arrays& in) override {
    const Array& x = in[0];
    if (x.ndim() == 4 && axis >= 2 && !x.is_contiguous()) {
      const Array last = x.transpose({0, 2, 3, 1});
      if (last.is_contiguous()) return {resampled(last, axis - 1, taps).transpose({0, 3, 1, 2})};
    }
    return {resampled(x, axis, taps)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {resample(gy[0], axis, taps.transposed())};
  }
  int axis;
  Taps taps;
};

}  // namespace

Variable resample(const Variable& x, int axis, const Taps& taps) {
  if (x.device().is_host()) return apply_single(ResampleNode(axis, taps), x);
  const PlainPrecision plain;
  const Variable m(taps.matrix().astype(x.dtype()).to_device(x.device()), false);
  return moveaxis(tensordot(m, x, Dims{1}, Dims{axis}), 0, axis);
}

}  // namespace chainer::functions
