// SPDX-License-Identifier: MIT
// Constant initial values (manual: "Weight Initializers").
#pragma once
#include "chainer/autograd/initializer.h"

namespace chainer::initializers {

/// Fills a square matrix (n, n) with scale times the identity. Throws ValueError for another shape.
class Identity : public Initializer {
 public:
  explicit Identity(double scale = 1.0, std::optional<Dtype> dtype = {}) : Initializer(dtype), scale_(scale) {}
  void operator()(Array& array) const override;

 private:
  double scale_;
};

/// Fills an array with one number, or with an array that broadcasts to its shape (DimensionError otherwise).
class Constant : public Initializer {
 public:
  explicit Constant(Scalar fill_value, std::optional<Dtype> dtype = {});
  explicit Constant(Array fill_value, std::optional<Dtype> dtype = {})
      : Initializer(dtype), value_(std::move(fill_value)) {}
  void operator()(Array& array) const override;

 private:
  Array value_;
};
struct Zero : Constant {
  explicit Zero(std::optional<Dtype> dtype = {}) : Constant(0.0, dtype) {}
};
struct One : Constant {
  explicit One(std::optional<Dtype> dtype = {}) : Constant(1.0, dtype) {}
};
struct NaN : Constant {
  explicit NaN(std::optional<Dtype> dtype = {});
};

}  // namespace chainer::initializers
