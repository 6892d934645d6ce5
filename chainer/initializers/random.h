// Random initial values, drawn from random::global() (manual: "Weight Initializers").
#pragma once
#include "chainer/autograd/initializer.h"

namespace chainer::initializers {

/// Number of inputs and outputs of a weight of this shape: shape[1] and shape[0] times the product of the rest.
/// ValueError below two axes.
std::pair<int64_t, int64_t> get_fans(const Shape& shape);

/// N(0, scale^2).
class Normal : public Initializer {
 public:
  explicit Normal(double scale = 0.05, std::optional<Dtype> dtype = {}) : Initializer(dtype), scale_(scale) {}
  void operator()(Array& array) const override;

 private:
  double scale_;
};
/// U[-scale, scale].
class Uniform : public Initializer {
 public:
  explicit Uniform(double scale = 0.05, std::optional<Dtype> dtype = {}) : Initializer(dtype), scale_(scale) {}
  void operator()(Array& array) const override;

 private:
  double scale_;
};

/// How the width of a distribution follows from the shape: sqrt(factor / fan).
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
/// Deviation scale sqrt(1 / fan_in). LeCun et al. 1998. The default of weights.
struct LeCunNormal : FanScaled {
  explicit LeCunNormal(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(true, 1, Fan::in, scale, dtype) {}
};
/// Deviation scale sqrt(2 / (fan_in + fan_out)). Glorot and Bengio 2010.
struct GlorotNormal : FanScaled {
  explicit GlorotNormal(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(true, 2, Fan::both, scale, dtype) {}
};
/// Which side He initialization counts.
enum class FanOption { fan_in, fan_out };
/// Deviation scale sqrt(2 / fan). He et al. 2015.
struct HeNormal : FanScaled {
  explicit HeNormal(double scale = 1.0, std::optional<Dtype> dtype = {}, FanOption fan_option = FanOption::fan_in)
      : FanScaled(true, 2, fan_option == FanOption::fan_in ? Fan::in : Fan::out, scale, dtype) {}
};
/// U[-w, w] with w = scale sqrt(3 / fan_in).
struct LeCunUniform : FanScaled {
  explicit LeCunUniform(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(false, 3, Fan::in, scale, dtype) {}
};
/// U[-w, w] with w = scale sqrt(6 / (fan_in + fan_out)).
struct GlorotUniform : FanScaled {
  explicit GlorotUniform(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(false, 6, Fan::both, scale, dtype) {}
};
/// U[-w, w] with w = scale sqrt(6 / fan_in).
struct HeUniform : FanScaled {
  explicit HeUniform(double scale = 1.0, std::optional<Dtype> dtype = {})
      : FanScaled(false, 6, Fan::in, scale, dtype) {}
};

/// Rows of a random orthogonal matrix, times scale: the singular vectors of a normal one. Saxe et al. 2014. More rows
/// than columns are a ValueError.
class Orthogonal : public Initializer {
 public:
  explicit Orthogonal(double scale = 1.1, std::optional<Dtype> dtype = {}) : Initializer(dtype), scale_(scale) {}
  void operator()(Array& array) const override;

 private:
  double scale_;
};

}  // namespace chainer::initializers
