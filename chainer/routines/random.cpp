// SPDX-License-Identifier: MIT
#include "chainer/routines/random.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "chainer/core/system/fork.h"

namespace chainer::random {

std::recursive_mutex& RandomState::mutex() const {
  struct Lock : ForkSafe<std::recursive_mutex> {
    Lock() : ForkSafe(kForkRandom) {}
  };
  constexpr std::size_t kLocks = 16;
  static Lock* const locks = new Lock[kLocks];  // never destroyed: generators may outlive main()
  return locks[reinterpret_cast<uintptr_t>(this) / sizeof(RandomState) % kLocks];
}

RandomState::RandomState(uint32_t s) { seed(s); }

void RandomState::seed(uint32_t s) {
  if (recording::any()) [[unlikely]]
    recording::refuse("a generator is seeded");
  const std::lock_guard lock(mutex());
  key_[0] = s;
  for (uint32_t i = 1; i < 624; ++i) key_[i] = 1812433253u * (key_[i - 1] ^ (key_[i - 1] >> 30)) + i;
  position_ = 624;
  has_gauss_ = false;
  bulk_seed_ = s;
  bulk_counter_ = 0;
}

State RandomState::state() const {
  const std::lock_guard lock(mutex());
  return {std::vector<uint32_t>(key_, key_ + 624), position_, has_gauss_, gauss_, bulk_seed_, bulk_counter_};
}

void RandomState::set_state(const State& s) {
  if (recording::any()) [[unlikely]]
    recording::refuse("a generator is seeded");
  const std::lock_guard lock(mutex());
  if (s.key.size() != 624 || s.position < 0 || s.position > 624)
    throw ValueError("random state: expected 624 words and a position in [0, 624]");
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
    return (y >> 1) ^ ((0u - (y & 1u)) & 0x9908b0dfu);
  };
  // Words 397 ahead, without a modulo operation in the loop.
  for (int i = 0; i < 227; ++i) key_[i] = key_[i + 397] ^ twist(key_[i], key_[i + 1]);
  for (int i = 227; i < 623; ++i) key_[i] = key_[i - 227] ^ twist(key_[i], key_[i + 1]);
  key_[623] = key_[396] ^ twist(key_[623], key_[0]);
  position_ = 0;
}

uint32_t RandomState::next_uint32() {
  if (recording::any()) [[unlikely]]
    recording::refuse("numbers are drawn from the Mersenne Twister");
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
    const double limit = xm * std::log(f1 / x1) + (nd - m + 0.5) * std::log(z / w) +
                         (y - m) * std::log(w * p / (x1 * q)) + stirling(f1) + stirling(z) + stirling(x1) + stirling(w);
    if (log_v <= limit) return static_cast<int64_t>(y);
  }
}

namespace {
thread_local RandomState* repeated = nullptr;
}

RepeatedDraws::RepeatedDraws(const State& state) : generator_(0), outer_(repeated) {
  generator_.set_state(state);
  repeated = &generator_;
}
RepeatedDraws::~RepeatedDraws() { repeated = outer_; }

RandomState& global() {
  if (repeated) [[unlikely]]
    return *repeated;
  static RandomState* state = new RandomState(std::random_device{}());
  return *state;
}
void seed(uint32_t s) { global().seed(s); }
State state() { return global().state(); }
void set_state(const State& s) { global().set_state(s); }

}  // namespace chainer::random
