// SPDX-License-Identifier: MIT
// Random numbers: NumPy's legacy generator, and a counter-based generator for large arrays.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/operations/families.h"

namespace chainer::random {

/// The state of a generator for saving and loading: the words and position of the Mersenne Twister, the normal number
/// kept for the next call, and the seed and position of the counter-based generator.
struct State {
  std::vector<uint32_t> key;
  int position = 0;
  bool has_gauss = false;
  double gauss = 0;
  uint64_t bulk_seed = 0, bulk_counter = 0;
  bool operator==(const State&) const = default;
};

/// Probabilities for choice(): a list, or a floating array with one axis. As in NumPy, their sum may differ from 1 by
/// the square root of the dtype's precision: 1.5e-8 for float64, 3.4e-4 for float32, 0.03 for float16.
struct Probabilities {
  Probabilities() = default;
  Probabilities(std::nullopt_t) {}
  Probabilities(std::vector<double> list) : values(std::move(list)) {}
  Probabilities(std::initializer_list<double> list) : values(std::vector<double>(list)) {}
  Probabilities(const std::vector<float>& list);
  Probabilities(const Array& p);
  std::optional<std::vector<double>> values;
  double tolerance = 1.5e-8;
};

/// numpy.random.RandomState: MT19937 with NumPy's legacy algorithms, so that a seed gives the same numbers. Numbers are
/// drawn in float64 (int64 for integers) and cast to `dtype`. Calls from several threads are serialised. Arguments
/// outside of a distribution's domain are a ValueError.
class RandomState {
 public:
  explicit RandomState(uint32_t seed);
  RandomState(const RandomState& other) : RandomState(0) { set_state(other.state()); }

  void seed(uint32_t seed);
  State state() const;
  /// Throws ValueError for an invalid state.
  void set_state(const State& state);

  /// The functions next_...() do not lock: only one thread may call them.
  uint32_t next_uint32();
  /// Returns a number uniform in [0, 1), with 53 bits.
  double next_double();
  /// Returns a normal number by the polar method, which computes two; the other one is kept for the next call.
  double next_gauss();
  /// Returns an integer uniform in [0, max].
  uint64_t next_interval(uint64_t max);

  Array random_sample(const Shape& shape, Dtype dtype = float64);
  Array rand(const Shape& shape, Dtype dtype = float64) { return random_sample(shape, dtype); }
  Array uniform(double low, double high, const Shape& shape, Dtype dtype = float64);
  Array normal(double mean, double deviation, const Shape& shape, Dtype dtype = float64);
  Array standard_normal(const Shape& shape, Dtype dtype = float64) { return normal(0, 1, shape, dtype); }
  Array randn(const Shape& shape, Dtype dtype = float64) { return normal(0, 1, shape, dtype); }
  Array lognormal(double mean, double sigma, const Shape& shape, Dtype dtype = float64);
  Array exponential(double scale, const Shape& shape, Dtype dtype = float64);
  Array standard_gamma(double k, const Shape& shape, Dtype dtype = float64) { return gamma(k, 1, shape, dtype); }
  Array gamma(double k, double scale, const Shape& shape, Dtype dtype = float64);
  Array beta(double a, double b, const Shape& shape, Dtype dtype = float64);
  Array gumbel(double location, double scale, const Shape& shape, Dtype dtype = float64);
  Array laplace(double location, double scale, const Shape& shape, Dtype dtype = float64);
  /// Draws vectors of sum one; the result has shape `shape` x alpha.size().
  Array dirichlet(const std::vector<double>& alpha, const Shape& shape, Dtype dtype = float64);
  Array binomial(int64_t n, double p, const Shape& shape, Dtype dtype = int64);
  /// Draws with one parameter per element; parameters are repeated over the leading axes of `shape`.
  Array beta(const Array& a, const Array& b, const Shape& shape, Dtype dtype = float64);
  Array binomial(int64_t n, const Array& p, const Shape& shape, Dtype dtype = int64);
  /// Draws vectors of sum n; the result has shape `shape` x p.size().
  Array multinomial(int64_t n, const std::vector<double>& p, const Shape& shape, Dtype dtype = int64);
  /// Draws integers in [low, high). As in NumPy, the numbers depend on the dtype. Throws ValueError if low >= high.
  Array randint(int64_t low, int64_t high, const Shape& shape, Dtype dtype = int64);
  /// Returns 0 ... n-1 in random order.
  Array permutation(int64_t n);
  /// Returns a copy with its first axis in random order.
  Array permutation(const Array& a);
  /// Shuffles the first axis in place.
  void shuffle(Array& a);
  /// Draws from 0 ... n-1, with or without replacement, uniformly or with the given probabilities. Throws ValueError if
  /// n is not positive, if too many are drawn without replacement, or if the probabilities have a wrong number or sum.
  Array choice(int64_t n, const Shape& shape, bool replace = true, const Probabilities& p = {});

  /// Draws rows of an array: a[choice(len(a), ...)]. Throws DimensionError for a 0-d array.
  Array choice(const Array& a, const Shape& shape, bool replace = true, const Probabilities& p = {});

  /// Draws from the counter-based generator (Philox 4x32-10), whose numbers do not depend on the number of threads or
  /// on the device.
  Array bulk(RandomFill fill, double a, double b, const Shape& shape, Dtype dtype, Device device = {},
             const Dims& order = {});

 private:
  void refill();
  double next_gamma(double k);
  double next_beta(double a, double b);
  double next_exponential();
  int64_t next_binomial(int64_t n, double p);
  template <class F>
  Array draw(const Shape& shape, Dtype dtype, F&& next);

  // Generators share a few locks, selected by address, all of which fork() acquires.
  std::recursive_mutex& mutex() const;
  uint32_t key_[624];
  int position_ = 624;
  bool has_gauss_ = false;
  double gauss_ = 0;
  uint64_t bulk_seed_ = 0, bulk_counter_ = 0;
};

/// Returns the generator of the process, used for initial weights, shuffles, splits and samples. Seeded by the system
/// until seed() is called.
RandomState& global();

/// While it lives, global() of this thread is a generator that begins at a state, so that a function draws the same
/// numbers again without moving the generator of the process.
class RepeatedDraws {
 public:
  explicit RepeatedDraws(const State& state);
  ~RepeatedDraws();
  RepeatedDraws(const RepeatedDraws&) = delete;

 private:
  RandomState generator_;
  RandomState* outer_;
};
void seed(uint32_t seed);
State state();
void set_state(const State& state);

// The methods of the global generator as functions.
inline Array rand(const Shape& shape, Dtype dtype = float64) { return global().rand(shape, dtype); }
inline Array randn(const Shape& shape, Dtype dtype = float64) { return global().randn(shape, dtype); }
inline Array uniform(double low, double high, const Shape& shape, Dtype dtype = float64) {
  return global().uniform(low, high, shape, dtype);
}
inline Array normal(double mean, double deviation, const Shape& shape, Dtype dtype = float64) {
  return global().normal(mean, deviation, shape, dtype);
}
inline Array randint(int64_t low, int64_t high, const Shape& shape, Dtype dtype = int64) {
  return global().randint(low, high, shape, dtype);
}
inline Array permutation(int64_t n) { return global().permutation(n); }
inline Array choice(int64_t n, const Shape& shape, bool replace = true, const Probabilities& p = {}) {
  return global().choice(n, shape, replace, p);
}
inline Array choice(const Array& a, const Shape& shape, bool replace = true, const Probabilities& p = {}) {
  return global().choice(a, shape, replace, p);
}
inline Array bulk(RandomFill fill, double a, double b, const Shape& shape, Dtype dtype, Device device = {},
                  const Dims& order = {}) {
  return global().bulk(fill, a, b, shape, dtype, device, order);
}

}  // namespace chainer::random
