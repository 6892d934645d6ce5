// Random numbers: NumPy's legacy stream number for number, and a counter-based generator for bulk noise.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/array/operations/ops.h"

namespace chainer::random {

/// What saves and loads: the Mersenne Twister's words and position, the normal number kept for the next call, and the
/// counter-based generator's key and position.
struct State {
  std::vector<uint32_t> key;
  int position = 0;
  bool has_gauss = false;
  double gauss = 0;
  uint64_t bulk_seed = 0, bulk_counter = 0;
};

/// Probabilities of choices: a list, or a floating array with one axis. Their sum may differ from 1 by the square root
/// of the dtype's precision, as in NumPy: 1.5e-8, for float32 3.4e-4, for float16 0.03.
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

/// numpy.random.RandomState: MT19937 with the legacy algorithms, so that a seed gives the reference's numbers. Draws
/// are made in float64 (int64 for integers) and cast to `dtype`. Calls from several threads are serialised.
class RandomState {
 public:
  explicit RandomState(uint32_t seed);
  RandomState(const RandomState& other) : RandomState(0) { set_state(other.state()); }

  void seed(uint32_t seed);
  State state() const;
  void set_state(const State& state);

  uint32_t next_uint32();
  /// [0, 1) with 53 bits.
  double next_double();
  /// A normal number by the polar method; an odd count leaves one for the next call.
  double next_gauss();
  /// Uniform on [0, max].
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
  /// Rows of `shape` x alpha.size(), each of sum one.
  Array dirichlet(const std::vector<double>& alpha, const Shape& shape, Dtype dtype = float64);
  Array binomial(int64_t n, double p, const Shape& shape, Dtype dtype = int64);
  /// A parameter for each element, repeated over the leading axes of `shape`.
  Array beta(const Array& a, const Array& b, const Shape& shape, Dtype dtype = float64);
  Array binomial(int64_t n, const Array& p, const Shape& shape, Dtype dtype = int64);
  /// Rows of `shape` x p.size(), each of sum n.
  Array multinomial(int64_t n, const std::vector<double>& p, const Shape& shape, Dtype dtype = int64);
  /// Integers in [low, high); the stream depends on the dtype, as in NumPy.
  Array randint(int64_t low, int64_t high, const Shape& shape, Dtype dtype = int64);
  /// 0 ... n-1 in random order.
  Array permutation(int64_t n);
  /// A copy with its first axis in random order.
  Array permutation(const Array& a);
  /// Reorders the first axis in place.
  void shuffle(Array& a);
  /// Draws from 0 ... n-1, with or without replacement, with probabilities if given.
  Array choice(int64_t n, const Shape& shape, bool replace = true, const Probabilities& p = {});

  /// Draws rows of an array: a[choice(len(a), ...)].
  Array choice(const Array& a, const Shape& shape, bool replace = true, const Probabilities& p = {});

  /// Bulk noise of the counter-based generator (Philox 4x32-10): the same numbers for any thread count and device.
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

  // Generators share a few locks, by their addresses: a fork() takes them all.
  std::recursive_mutex& mutex() const;
  uint32_t key_[624];
  int position_ = 624;
  bool has_gauss_ = false;
  double gauss_ = 0;
  uint64_t bulk_seed_ = 0, bulk_counter_ = 0;
};

/// The process's generator, from which initial weights, shuffles, splits and samples come. Seeded from the system
/// until seed() is called.
RandomState& global();
void seed(uint32_t seed);
State state();
void set_state(const State& state);

// The global generator's methods under their own names.
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
