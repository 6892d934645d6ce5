#include "chainer/routines/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "chainer/array/backend.h"
#include "chainer/array/index.h"

namespace chainer::random {

RandomState::RandomState(uint32_t s) { seed(s); }

void RandomState::seed(uint32_t s) {
  std::lock_guard lock(mutex_);
  key_[0] = s;
  for (uint32_t i = 1; i < 624; ++i) key_[i] = 1812433253u * (key_[i - 1] ^ (key_[i - 1] >> 30)) + i;
  position_ = 624;
  has_gauss_ = false;
  bulk_seed_ = s;
  bulk_counter_ = 0;
}

State RandomState::state() const {
  std::lock_guard lock(mutex_);
  return {std::vector<uint32_t>(key_, key_ + 624), position_, has_gauss_, gauss_, bulk_seed_, bulk_counter_};
}

void RandomState::set_state(const State& s) {
  std::lock_guard lock(mutex_);
  if (s.key.size() != 624 || s.position < 0 || s.position > 624) throw ValueError("random state: 624 words and a position in [0, 624] are needed");
  std::copy(s.key.begin(), s.key.end(), key_);
  position_ = s.position;
  has_gauss_ = s.has_gauss;
  gauss_ = s.gauss;
  bulk_seed_ = s.bulk_seed;
  bulk_counter_ = s.bulk_counter;
}

void RandomState::refill() {
  const auto twist = [](uint32_t a, uint32_t b) {
    const uint32_t y = (a & 0x80000000u) | (b & 0x7fffffffu);
    return (y >> 1) ^ ((y & 1u) ? 0x9908b0dfu : 0u);
  };
  for (int i = 0; i < 624; ++i) key_[i] = key_[(i + 397) % 624] ^ twist(key_[i], key_[(i + 1) % 624]);
  position_ = 0;
}

uint32_t RandomState::next_uint32() {
  if (position_ == 624) refill();
  uint32_t y = key_[position_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double RandomState::next_double() {
  const uint32_t a = next_uint32() >> 5, b = next_uint32() >> 6;
  return (a * 67108864.0 + b) / 9007199254740992.0;
}

double RandomState::next_gauss() {
  if (has_gauss_) {
    has_gauss_ = false;
    return gauss_;
  }
  double x, y, r2;
  do {
    x = 2 * next_double() - 1;
    y = 2 * next_double() - 1;
    r2 = x * x + y * y;
  } while (r2 >= 1 || r2 == 0);
  const double f = std::sqrt(-2 * std::log(r2) / r2);
  gauss_ = f * x;
  has_gauss_ = true;
  return f * y;
}

uint64_t RandomState::next_interval(uint64_t max) {
  if (max == 0) return 0;
  uint64_t mask = max;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  uint64_t v;
  do {
    v = next_uint32();
    if (max > 0xffffffffu) v = v << 32 | next_uint32();
    v &= mask;
  } while (v > max);
  return v;
}

double RandomState::next_exponential() { return -std::log(1.0 - next_double()); }

double RandomState::next_gamma(double k) {
  if (k == 1) return next_exponential();
  if (k == 0) return 0;
  if (k < 1) {  // Ahrens and Dieter's rejection
    for (;;) {
      const double u = next_double(), v = next_exponential();
      if (u <= 1 - k) {
        const double x = std::pow(u, 1 / k);
        if (x <= v) return x;
      } else {
        const double y = -std::log((1 - u) / k), x = std::pow(1 - k + k * y, 1 / k);
        if (x <= v + y) return x;
      }
    }
  }
  const double b = k - 1. / 3, c = 1 / std::sqrt(9 * b);  // Marsaglia and Tsang
  for (;;) {
    double x, v;
    do {
      x = next_gauss();
      v = 1 + c * x;
    } while (v <= 0);
    v = v * v * v;
    const double u = next_double();
    if (u < 1 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1 - v + std::log(v))) return b * v;
  }
}

double RandomState::next_beta(double a, double b) {
  if (a > 1 || b > 1) {
    const double x = next_gamma(a), y = next_gamma(b);
    return x / (x + y);
  }
  for (;;) {  // Johnk
    const double u = next_double(), v = next_double();
    const double x = std::pow(u, 1 / a), y = std::pow(v, 1 / b);
    if (x + y > 1) continue;
    if (x + y > 0) return x / (x + y);
    double log_x = std::log(u) / a, log_y = std::log(v) / b;
    const double top = std::max(log_x, log_y);
    log_x -= top;
    log_y -= top;
    return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
  }
}

int64_t RandomState::next_binomial(int64_t n, double p) {
  if (n == 0 || p == 0) return 0;
  if (p > 0.5) return n - next_binomial(n, 1.0 - p);
  const double nd = static_cast<double>(n), q = 1 - p;
  if (p * nd <= 30) {  // inversion
    const double qn = std::exp(nd * std::log(q)), np = nd * p;
    const auto bound = static_cast<int64_t>(std::min(nd, np + 10 * std::sqrt(np * q + 1)));
    int64_t x = 0;
    double px = qn, u = next_double();
    while (u > px) {
      if (++x > bound) {
        x = 0;
        px = qn;
        u = next_double();
      } else {
        u -= px;
        px = (static_cast<double>(n - x + 1) * p * px) / (static_cast<double>(x) * q);
      }
    }
    return x;
  }
  // Kachitvichyanukul and Schmeiser's BTPE: triangle, parallelograms and exponential tails around the mode.
  const double fm = nd * p + p, m = std::floor(fm), nrq = nd * p * q;
  const double p1 = std::floor(2.195 * std::sqrt(nrq) - 4.6 * q) + 0.5;
  const double xm = m + 0.5, xl = xm - p1, xr = xm + p1, c = 0.134 + 20.5 / (15.3 + m);
  const auto lambda = [](double a) { return a * (1 + a / 2); };
  const double left = lambda((fm - xl) / (fm - xl * p)), right = lambda((xr - fm) / (xr * q));
  const double p2 = p1 * (1 + 2 * c), p3 = p2 + c / left, p4 = p3 + c / right;
  for (;;) {
    const double u = next_double() * p4;
    double v = next_double(), y;
    if (u <= p1) return static_cast<int64_t>(std::floor(xm - p1 * v + u));
    if (u <= p2) {
      const double x = xl + (u - p1) / c;
      v = v * c + 1 - std::abs(m - x + 0.5) / p1;
      if (v > 1) continue;
      y = std::floor(x);
    } else if (u <= p3) {
      y = std::floor(xl + std::log(v) / left);
      if (y < 0 || v == 0) continue;
      v *= (u - p2) * left;
    } else {
      y = std::floor(xr - std::log(v) / right);
      if (y > nd || v == 0) continue;
      v *= (u - p3) * right;
    }
    const double k = std::abs(y - m);
    if (k <= 20 || k >= nrq / 2 - 1) {
      const double s = p / q, a = s * (nd + 1);
      double f = 1;
      for (double i = m + 1; i <= y; ++i) f *= a / i - s;
      for (double i = y + 1; i <= m; ++i) f /= a / i - s;
      if (v > f) continue;
      return static_cast<int64_t>(y);
    }
    const double rho = (k / nrq) * ((k * (k / 3 + 0.625) + 0.16666666666666666) / nrq + 0.5);
    const double t = -k * k / (2 * nrq), log_v = std::log(v);
    if (log_v < t - rho) return static_cast<int64_t>(y);
    if (log_v > t + rho) continue;
    const double x1 = y + 1, f1 = m + 1, z = nd + 1 - m, w = nd - y + 1;
    const auto stirling = [](double x) {
      const double x2 = x * x;
      return (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
    };
    const double limit = xm * std::log(f1 / x1) + (nd - m + 0.5) * std::log(z / w) + (y - m) * std::log(w * p / (x1 * q)) +
                         stirling(f1) + stirling(z) + stirling(x1) + stirling(w);
    if (log_v <= limit) return static_cast<int64_t>(y);
  }
}

template <class F>
Array RandomState::draw(const Shape& shape, Dtype dtype, F&& next) {
  std::lock_guard lock(mutex_);
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
  if (deviation < 0) throw ValueError("normal: the deviation must not be negative: ", deviation);
  return draw(s, d, [&] { return mean + deviation * next_gauss(); });
}
Array RandomState::lognormal(double mean, double sigma, const Shape& s, Dtype d) {
  return draw(s, d, [&] { return std::exp(mean + sigma * next_gauss()); });
}
Array RandomState::exponential(double scale, const Shape& s, Dtype d) {
  return draw(s, d, [&] { return scale * next_exponential(); });
}
Array RandomState::gamma(double k, double scale, const Shape& s, Dtype d) {
  if (k < 0) throw ValueError("gamma: the shape must not be negative: ", k);
  return draw(s, d, [&] { return scale * next_gamma(k); });
}
Array RandomState::beta(double a, double b, const Shape& s, Dtype d) {
  if (a <= 0 || b <= 0) throw ValueError("beta: both parameters must be positive: ", a, ", ", b);
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
  std::lock_guard lock(mutex_);
  Shape full = shape;
  full.push_back(static_cast<int64_t>(alpha.size()));
  Array a(full, float64);
  double* p = a.mutable_data<double>();
  for (int64_t row = 0; row < shape.product(); ++row) {
    double total = 0;
    for (double k : alpha) total += *p++ = next_gamma(k);
    for (std::size_t i = 1; i <= alpha.size(); ++i) p[-static_cast<std::ptrdiff_t>(i)] *= 1 / total;
  }
  return a.astype(d, false);
}

Array RandomState::binomial(int64_t n, double p, const Shape& s, Dtype d) {
  if (n < 0 || !(p >= 0 && p <= 1)) throw ValueError("binomial: n >= 0 and p in [0, 1] are needed, not ", n, " and ", p);
  return draw(s, d, [&] { return next_binomial(n, p); });
}

Array RandomState::multinomial(int64_t n, const std::vector<double>& p, const Shape& shape, Dtype d) {
  std::lock_guard lock(mutex_);
  Shape full = shape;
  full.push_back(static_cast<int64_t>(p.size()));
  Array a(full, int64);
  a.fill(0);
  int64_t* row = a.mutable_data<int64_t>();
  for (int64_t r = 0; r < shape.product(); ++r, row += p.size()) {
    int64_t left = n;
    double rest = 1;
    for (std::size_t j = 0; j + 1 < p.size() && left > 0; ++j) {
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
  std::lock_guard lock(mutex_);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) - 1;
  const int width = static_cast<int>(item_size(dtype));
  Array a(shape, int64);
  int64_t* p = a.mutable_data<int64_t>();
  uint64_t mask = range;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  uint32_t buffer = 0;
  int left = 0;
  // Narrow types take several numbers out of one 32-bit draw, as NumPy does.
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
  Array a(Shape{n}, int64);
  std::iota(a.mutable_data<int64_t>(), a.mutable_data<int64_t>() + n, int64_t(0));
  shuffle(a);
  return a;
}

Array RandomState::permutation(const Array& a) { return a[permutation(len(a))]; }

void RandomState::shuffle(Array& a) {
  const int64_t n = len(a);
  if (a.ndim() != 1 || a.dtype() != int64 || !a.is_contiguous()) {
    const Array reordered = a[permutation(n)];
    return copy_elements(reordered, a);
  }
  std::lock_guard lock(mutex_);
  int64_t* p = a.mutable_data<int64_t>();
  for (int64_t i = n - 1; i > 0; --i) std::swap(p[i], p[next_interval(static_cast<uint64_t>(i))]);
}

Array RandomState::choice(int64_t n, const Shape& shape, bool replace, const std::optional<std::vector<double>>& p) {
  if (n <= 0) throw ValueError("choice: nothing to choose from (n = ", n, ")");
  const int64_t size = shape.product();
  if (!replace && size > n) throw ValueError("choice: cannot take ", size, " of ", n, " without replacement");
  if (!p && replace) return randint(0, n, shape);
  if (!p) {
    const Array order = permutation(n);
    return order[Slice(0, size)].reshape(shape);
  }
  if (static_cast<int64_t>(p->size()) != n) throw ValueError("choice: ", p->size(), " probabilities for ", n, " choices");
  std::vector<double> weights = *p;
  std::lock_guard lock(mutex_);
  Array out(shape, int64);
  int64_t* found = out.mutable_data<int64_t>();
  // The place of u in the cumulative distribution.
  std::vector<double> cdf(weights.size());
  const auto cumulate = [&] {
    std::partial_sum(weights.begin(), weights.end(), cdf.begin());
    const double total = cdf.back();
    if (!(total > 0)) throw ValueError("choice: too few choices have a probability above zero");
    for (double& c : cdf) c /= total;
  };
  const auto place = [&](double u) { return std::upper_bound(cdf.begin(), cdf.end(), u) - cdf.begin(); };
  if (replace) {
    cumulate();
    for (int64_t i = 0; i < size; ++i) found[i] = place(next_double());
    return out;
  }
  for (int64_t have = 0; have < size;) {  // rounds of draws; what was found already has weight zero in the next
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

Array RandomState::bulk(RandomFill fill, double a, double b, const Shape& shape, Dtype dtype, Device device) {
  Array out(shape, dtype, device);
  std::lock_guard lock(mutex_);
  device.backend().random(fill, bulk_seed_, bulk_counter_, a, b, out);
  bulk_counter_ += static_cast<uint64_t>((out.size() + 3) / 4);
  return out;
}

RandomState& global() {
  static RandomState* state = new RandomState(std::random_device{}());
  return *state;
}
void seed(uint32_t s) { global().seed(s); }
State state() { return global().state(); }
void set_state(const State& s) { global().set_state(s); }

}  // namespace chainer::random
