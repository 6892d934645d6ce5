// SPDX-License-Identifier: MIT
// Random initial values, drawn from random::global() (manual: "Weight Initializers").
#pragma once
#include "chainer/autograd/initializer.h"

namespace chainer::initializers {

/// Returns {fan_in, fan_out} of a weight: shape[1] and shape[0], each times the product of the other lengths. Throws
/// ValueError for less than two axes.
std::pair<int64_t, int64_t> get_fans(const Shape& shape);

/// Fills an array of any shape from N(0, scale^2).
class Normal : public Initializer {
 public:
  explicit Normal(double scale = 0.05, std::optional<Dtype> dtype = {}) : Initializer(dtype), scale_(scale) {}
  void operator()(Array& array) const override;

 private:
  double scale_;
};
/// Fills an array of any shape from U[-scale, scale].
class Uniform : public Initializer {
 public:
  explicit Uniform(double scale = 0.05, std::optional<Dtype> dtype = {}) : Initializer(dtype), scale_(scale) {}
  void operator()(Array& array) const override;

 private:
  double scale_;
};

/// Base of initializers whose width is scale sqrt(factor / fan), for weights with at least two axes (ValueError
/// otherwise): the standard deviation of a normal distribution, or half the width of a uniform one.
class FanScaled : public Initializer {
 public:
  enum class Fan { in, out, both };
  FanScaled(bool normal, double factor, Fan fan, double scale, std::optional<Dtype> dtype)
      : Initializer(dtype), normal_(normal), factor_(factor), fan_(fan), scale_(scale) {}
  void operator()(Array& array) const override;

 private:
  bool normal_;
  double factor_;
  Fan fan_;
  double scale_;
};
/// Normal with standard deviation scale sqrt(1 / fan_in). LeCun et al., 1998. The default of weights.
struct LeCunNormal : FanScaled {
  explicit LeCunNormal(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(true, 1, Fan::in, scale, dtype) {}
};
/// Normal with standard deviation scale sqrt(2 / (fan_in + fan_out)). Glorot and Bengio, 2010.
struct GlorotNormal : FanScaled {
  explicit GlorotNormal(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(true, 2, Fan::both, scale, dtype) {}
};
/// The fan that He initialization uses.
enum class FanOption { fan_in, fan_out };
/// Normal with standard deviation scale sqrt(2 / fan). He et al., 2015.
struct HeNormal : FanScaled {
  explicit HeNormal(double scale = 1.0, std::optional<Dtype> dtype = {}, FanOption fan_option = FanOption::fan_in)
      : FanScaled(true, 2, fan_option == FanOption::fan_in ? Fan::in : Fan::out, scale, dtype) {}
};
/// Uniform in [-w, w] with w = scale sqrt(3 / fan_in).
struct LeCunUniform : FanScaled {
  explicit LeCunUniform(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(false, 3, Fan::in, scale, dtype) {}
};
/// Uniform in [-w, w] with w = scale sqrt(6 / (fan_in + fan_out)).
struct GlorotUniform : FanScaled {
  explicit GlorotUniform(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(false, 6, Fan::both, scale, dtype) {}
};
/// Uniform in [-w, w] with w = scale sqrt(6 / fan_in).
struct HeUniform : FanScaled {
  explicit HeUniform(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(false, 6, Fan::in, scale, dtype) {}
};

/// Fills a weight with rows of a random orthogonal matrix, times scale: singular vectors of a normal matrix. The first
/// axis counts the rows, the others are flattened. Throws ValueError for more rows than columns, or without elements.
/// Saxe et al., 2014.
class Orthogonal : public Initializer {
 public:
  explicit Orthogonal(double scale = 1.1, std::optional<Dtype> dtype = {}) : Initializer(dtype), scale_(scale) {}
  void operator()(Array& array) const override;

 private:
  double scale_;
};

}  // namespace chainer::initializers
