// SPDX-License-Identifier: MIT
// Arrays of random numbers, drawn sequentially from the generator.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "chainer/array/backend.h"
#include "chainer/array/order.h"
#include "chainer/array/recording/step.h"
#include "chainer/array/index.h"
#include "chainer/routines/random.h"

namespace chainer::random {

namespace {
void check_probabilities(const char* function, const std::vector<double>& p) {
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!(p[i] >= 0 && p[i] <= 1))
      throw ValueError(function, ": probability ", p[i], " at position ", i, " is not within [0, 1]");
}
}  // namespace

template <class F>
Array RandomState::draw(const Shape& shape, Dtype dtype, F&& next) {
  const std::lock_guard lock(mutex());
  using T = decltype(next());
  Array a(shape, dtype_of<T>());
  T* p = a.mutable_data<T>();
  for (int64_t i = 0; i < a.size(); ++i) p[i] = next();
  return a.astype(dtype, false);
}

Array RandomState::random_sample(const Shape& s, Dtype d) {
  return draw(s, d, [&] { return next_double(); });
}
Array RandomState::uniform(double low, double high, const Shape& s, Dtype d) {
  return draw(s, d, [&] { return low + (high - low) * next_double(); });
}
Array RandomState::normal(double mean, double deviation, const Shape& s, Dtype d) {
  if (!(deviation >= 0)) throw ValueError("normal: the deviation must not be negative: ", deviation);
  return draw(s, d, [&] { return mean + deviation * next_gauss(); });
}
Array RandomState::lognormal(double mean, double sigma, const Shape& s, Dtype d) {
  return draw(s, d, [&] { return std::exp(mean + sigma * next_gauss()); });
}
Array RandomState::exponential(double scale, const Shape& s, Dtype d) {
  return draw(s, d, [&] { return scale * next_exponential(); });
}
Array RandomState::gamma(double k, double scale, const Shape& s, Dtype d) {
  if (!(k >= 0)) throw ValueError("gamma: the shape must be 0 or more, not ", k);
  return draw(s, d, [&] { return scale * next_gamma(k); });
}
Array RandomState::beta(double a, double b, const Shape& s, Dtype d) {
  if (!(a > 0 && b > 0)) throw ValueError("beta: both parameters must be positive: ", a, ", ", b);
  return draw(s, d, [&] { return next_beta(a, b); });
}
Array RandomState::gumbel(double location, double scale, const Shape& s, Dtype d) {
  return draw(s, d, [&] {
    double u;
    do u = 1 - next_double();
    while (u >= 1);
    return location - scale * std::log(-std::log(u));
  });
}
Array RandomState::laplace(double location, double scale, const Shape& s, Dtype d) {
  return draw(s, d, [&] {
    for (;;) {
      const double u = next_double();
      if (u >= 0.5) return location - scale * std::log(2 - u - u);
      if (u > 0) return location + scale * std::log(u + u);
    }
  });
}

Array RandomState::dirichlet(const std::vector<double>& alpha, const Shape& shape, Dtype d) {
  for (std::size_t i = 0; i < alpha.size(); ++i)
    if (!(alpha[i] > 0)) throw ValueError("dirichlet: alpha must be positive, not ", alpha[i], " at position ", i);
  const std::lock_guard lock(mutex());
  Shape full = shape;
  full.push_back(static_cast<int64_t>(alpha.size()));
  Array a(full, float64);
  double* p = a.mutable_data<double>();
  for (int64_t row = 0; row < shape.product(); ++row) {
    double total = 0;
    for (double k : alpha) total += * p++ = next_gamma(k);
    for (std::size_t i = 1; i <= alpha.size(); ++i) p[-static_cast<std::ptrdiff_t>(i)] *= 1 / total;
  }
  return a.astype(d, false);
}

Array RandomState::beta(const Array& a, const Array& b, const Shape& s, Dtype d) {
  const std::vector<double> as = a.to_vector<double>(), bs = b.to_vector<double>();
  for (std::size_t i = 0; i < as.size(); ++i)
    if (!(as[i] > 0 && bs[i] > 0)) throw ValueError("beta: both parameters must be positive: ", as[i], ", ", bs[i]);
  std::size_t at = 0;
  return draw(s, d, [&] {
    const std::size_t i = at++ % as.size();
    return next_beta(as[i], bs[i]);
  });
}
Array RandomState::binomial(int64_t n, const Array& p, const Shape& s, Dtype d) {
  const std::vector<double> ps = p.to_vector<double>();
  for (double q : ps)
    if (n < 0 || !(q >= 0 && q <= 1))
      throw ValueError("binomial: n must be 0 or more and p in [0, 1], not ", n, " and ", q);
  std::size_t at = 0;
  return draw(s, d, [&] { return next_binomial(n, ps[at++ % ps.size()]); });
}
Array RandomState::binomial(int64_t n, double p, const Shape& s, Dtype d) {
  if (n < 0 || !(p >= 0 && p <= 1))
    throw ValueError("binomial: n must be 0 or more and p in [0, 1], not ", n, " and ", p);
  return draw(s, d, [&] { return next_binomial(n, p); });
}

Array RandomState::multinomial(int64_t n, const std::vector<double>& p, const Shape& shape, Dtype d) {
  if (n < 0) throw ValueError("multinomial: the number of draws must not be negative: ", n);
  check_probabilities("multinomial", p);
  const double before_last = std::accumulate(p.begin(), p.empty() ? p.end() : p.end() - 1, 0.0);
  if (before_last > 1 + 1e-12)
    throw ValueError("multinomial: the probabilities before the last one add up to ", before_last, ", more than 1");
  const std::lock_guard lock(mutex());
  Shape full = shape;
  full.push_back(static_cast<int64_t>(p.size()));
  Array a(full, int64);
  a.fill(0);
  int64_t* row = a.mutable_data<int64_t>();
  for (int64_t r = 0; r < shape.product(); ++r, row += p.size()) {
    int64_t left = n;
    double rest = 1;
    for (std::size_t j = 0; j + 1 < p.size() && left > 0 && rest > 0; ++j) {
      row[j] = next_binomial(left, p[j] / rest);
      left -= row[j];
      rest -= p[j];
    }
    if (left > 0 && !p.empty()) row[p.size() - 1] += left;
  }
  return a.astype(d, false);
}

Array RandomState::randint(int64_t low, int64_t high, const Shape& shape, Dtype dtype) {
  if (low >= high) throw ValueError("randint: low >= high (", low, " >= ", high, ")");
  const std::lock_guard lock(mutex());
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) - 1;
  const int width = static_cast<int>(item_size(dtype));
  Array a(shape, int64);
  int64_t* p = a.mutable_data<int64_t>();
  uint64_t mask = range;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  uint32_t buffer = 0;
  int left = 0;
  // As in NumPy, narrow types take several numbers from one 32-bit draw.
  const int bits = dtype == Dtype::bool_ ? 1 : width < 4 ? 8 * width : 0;
  const auto narrow = [&]() -> uint64_t {
    if (left == 0) {
      buffer = next_uint32();
      left = 32 / bits;
    } else {
      buffer >>= bits;
    }
    --left;
    return buffer & ((1u << bits) - 1);
  };
  for (int64_t i = 0; i < a.size(); ++i) {
    uint64_t v = 0;
    if (range > 0) {
      if (bits == 0) {
        v = next_interval(range);
      } else {
        do v = narrow() & mask;
        while (v > range);
      }
    }
    p[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + v);
  }
  return a.astype(dtype, false);
}

Array RandomState::permutation(int64_t n) {
  if (n < 0) throw ValueError("permutation: the length must not be negative: ", n);
  Array a(Shape{n}, int64);
  std::iota(a.mutable_data<int64_t>(), a.mutable_data<int64_t>() + n, int64_t(0));
  shuffle(a);
  return a;
}

Array RandomState::permutation(const Array& a) { return a[permutation(len(a))]; }

void RandomState::shuffle(Array& a) {
  const int64_t n = len(a);
  if (a.ndim() != 1 || a.dtype() != int64 || !a.is_contiguous() || !a.device().is_host()) {
    const Array reordered = a[permutation(n)];
    return copy_elements(reordered, a);
  }
  const std::lock_guard lock(mutex());
  int64_t* p = a.mutable_data<int64_t>();
  for (int64_t i = n - 1; i > 0; --i) std::swap(p[i], p[next_interval(static_cast<uint64_t>(i))]);
}

namespace {
double tolerance_of(Dtype d) { return d == float16 ? 0.03125 : d == float32 ? 3.4527e-4 : 1.5e-8; }
}  // namespace

Probabilities::Probabilities(const std::vector<float>& list)
    : values(std::vector<double>(list.begin(), list.end())), tolerance(tolerance_of(float32)) {}
Probabilities::Probabilities(const Array& p) : tolerance(tolerance_of(p.dtype())) {
  if (p.ndim() != 1 || !is_floating(p.dtype()))
    throw ValueError("choice: probabilities must be a floating array with one axis, not ", p.dtype(), " of shape ",
                     p.shape());
  values = p.to_vector<double>();
}

Array RandomState::choice(const Array& a, const Shape& shape, bool replace, const Probabilities& p) {
  if (a.ndim() == 0) throw DimensionError("choice: the array to choose from must have at least one axis");
  return a[choice(a.shape(0), shape, replace, p)];
}

Array RandomState::choice(int64_t n, const Shape& shape, bool replace, const Probabilities& given) {
  const std::optional<std::vector<double>>& p = given.values;
  if (n <= 0) throw ValueError("choice: nothing to choose from (n = ", n, ")");
  const int64_t size = shape.product();
  if (!replace && size > n) throw ValueError("choice: cannot take ", size, " of ", n, " without replacement");
  if (!p && replace) return randint(0, n, shape);
  if (!p) {
    const Array order = permutation(n);
    return order[Slice(0, size)].reshape(shape);
  }
  if (static_cast<int64_t>(p->size()) != n)
    throw ValueError("choice: ", p->size(), " probabilities for ", n, " choices");
  check_probabilities("choice", *p);
  const double total = std::accumulate(p->begin(), p->end(), 0.0);
  if (!(std::abs(total - 1) <= given.tolerance))
    throw ValueError("choice: the probabilities must add up to 1, not ", total,
                     std::abs(total - 1) < 0.01 ? ": divide them by their sum; if they were computed in float32, "
                                                  "pass the array itself, so that the tolerance is that of its dtype"
                                                : "");
  const auto possible = std::count_if(p->begin(), p->end(), [](double q) { return q > 0; });
  if (!replace && possible < size)
    throw ValueError("choice: only ", possible, " choices have a probability above 0, but ", size, " are requested");
  std::vector<double> weights = *p;
  const std::lock_guard lock(mutex());
  Array out(shape, int64);
  int64_t* found = out.mutable_data<int64_t>();
  // The index of u in the cumulative distribution.
  std::vector<double> cdf(weights.size());
  const auto cumulate = [&] {
    std::partial_sum(weights.begin(), weights.end(), cdf.begin());
    const double sum = cdf.back();
    for (double& c : cdf) c /= sum;
  };
  const auto place = [&](double u) { return std::upper_bound(cdf.begin(), cdf.end(), u) - cdf.begin(); };
  if (replace) {
    cumulate();
    for (int64_t i = 0; i < size; ++i) found[i] = place(next_double());
    return out;
  }
  for (int64_t have = 0; have < size;) {  // in rounds; drawn elements have weight zero in the next one
    cumulate();
    std::vector<int64_t> fresh(static_cast<std::size_t>(size - have));
    for (int64_t& f : fresh) f = place(next_double());
    std::set<int64_t> seen;
    for (int64_t f : fresh)
      if (seen.insert(f).second) found[have++] = f;
    for (int64_t f : seen) weights[static_cast<std::size_t>(f)] = 0;
  }
  return out;
}

Array RandomState::bulk(RandomFill fill, double a, double b, const Shape& shape, Dtype dtype, Device device,
                        const Dims& order) {
  Array out = empty_in_order(shape, dtype, device, order);
  // A replay draws new numbers.
  const auto draw = [this, fill, a, b](std::span<const Array>, std::span<Array> drawn) {
    const std::lock_guard lock(mutex());
    drawn[0].device().backend().random(fill, bulk_seed_, bulk_counter_, a, b, drawn[0]);
    bulk_counter_ += static_cast<uint64_t>((drawn[0].size() + 3) / 4);
  };
  if (this != &global() && recording::any()) [[unlikely]]
    recording::refuse("numbers are drawn from a generator that may not live as long as the schedule");
  recording::step("random", {}, {&out, 1}, draw);
  return out;
}

}  // namespace chainer::random
