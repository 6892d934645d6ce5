// SPDX-License-Identifier: MIT
// A recurrent layer by plain loops with the arrays of cuDNN: its substitute in the emulation and in tests. The names
// are those of RecurrentCall (backend/cuda/driver.h).
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "chainer/array/operations/recurrent_layer.h"

namespace chainer::cuda::emulation {

/// Sums are computed in float64. As in cuDNN, the first gradients overwrite what forward kept with what the gradients
/// of weights need: here activated gates become gradients of gates.
template <class T>
class RecurrentLoops {
 public:
  struct Arrays {
    T *x, *weights, *h, *c, *y;
    T *h_last = nullptr, *c_last = nullptr, *kept = nullptr;
    T *gy = nullptr, *gh_last = nullptr, *gc_last = nullptr;
    T *gx = nullptr, *gh = nullptr, *gc = nullptr, *gweights = nullptr;
  };
  RecurrentLoops(RnnKind kind, int64_t inputs, int64_t units, std::vector<int64_t> sizes)
      : kind_(kind), inputs_(inputs), units_(units), gates_(weight_count(kind) / 2), sizes_(std::move(sizes)) {
    for (const int64_t n : sizes_) starts_.push_back(starts_.back() + n);
  }

  int64_t items() const { return starts_.back(); }
  /// Weights: a gap, biases, and matrices from the last to the first, so that no order can be taken for granted.
  static constexpr int64_t kGap = 4;
  int64_t weight_elements() const { return matrix(0) + units_ * inputs_; }
  int64_t bias(int64_t k) const { return kGap + k * units_; }
  int64_t matrix(int64_t k) const {
    int64_t at = kGap + 2 * gates_ * units_;
    for (int64_t j = 2 * gates_ - 1; j > k; --j) at += units_ * columns(j);
    return at;
  }
  int64_t columns(int64_t k) const { return k < gates_ ? inputs_ : units_; }
  /// Kept are gates, and the cells of LSTMs or what GRUs multiply by their reset gate.
  int64_t kept_elements() const { return items() * units_ * (gates_ + (gates_ > 1 ? 1 : 0)); }

  void forward(const Arrays& a) const {
    std::vector<T> unused(a.kept ? 0 : static_cast<std::size_t>(kept_elements()));
    const Kept kept = kept_in(a.kept ? a.kept : unused.data());
    for (std::size_t t = 0; t < sizes_.size(); ++t)
      for (int64_t b = 0; b < sizes_[t]; ++b)
        for (int64_t u = 0; u < units_; ++u) {
          const int64_t row = starts_[t] + b, at = row * units_ + u;
          const T *before = state(a.h, a.y, t, b), *cells = kind_ == RnnKind::lstm ? state(a.c, kept.extra, t, b) : a.h;
          T* const gates = kept.gates + row * gates_ * units_;
          const auto sum = [&](int64_t k, const T* from) {
            double out = static_cast<double>(a.weights[bias(k) + u]);
            const T* const w = a.weights + matrix(k) + u * columns(k);
            for (int64_t j = 0; j < columns(k); ++j) out += static_cast<double>(w[j]) * static_cast<double>(from[j]);
            return out;
          };
          const T* const x = a.x + row * inputs_;
          const auto both = [&](int64_t k) { return sum(k, x) + sum(gates_ + k, before); };
          const auto put = [&](int64_t k, double v) { return gates[k * units_ + u] = static_cast<T>(v), v; };
          if (kind_ == RnnKind::lstm) {
            const double i = put(0, sigmoid(both(0))), f = put(1, sigmoid(both(1))), g = put(2, std::tanh(both(2)));
            const double o = put(3, sigmoid(both(3))), c = f * static_cast<double>(cells[u]) + i * g;
            kept.extra[at] = static_cast<T>(c), a.y[at] = static_cast<T>(o * std::tanh(c));
          } else if (kind_ == RnnKind::gru) {
            const double r = put(0, sigmoid(both(0))), z = put(1, sigmoid(both(1))), s = sum(5, before);
            const double g = put(2, std::tanh(sum(2, x) + r * s));
            kept.extra[at] = static_cast<T>(s);
            a.y[at] = static_cast<T>((1 - z) * g + z * static_cast<double>(before[u]));
          } else {
            const double s = both(0);
            a.y[at] = static_cast<T>(put(0, kind_ == RnnKind::tanh ? std::tanh(s) : s > 0 ? s : 0));
          }
          if (!ends(t, b)) continue;
          a.h_last[b * units_ + u] = a.y[at];
          if (kind_ == RnnKind::lstm) a.c_last[b * units_ + u] = kept.extra[at];
        }
  }

  void backward_data(const Arrays& a) const {
    const Kept kept = kept_in(a.kept);
    const auto batch = static_cast<std::size_t>(sizes_[0] * units_);
    std::vector<double> dh(batch), dc(batch);
    for (std::size_t t = sizes_.size(); t-- > 0;)
      for (int64_t b = 0; b < sizes_[t]; ++b) {
        const int64_t row = starts_[t] + b;
        T* const gates = kept.gates + row * gates_ * units_;
        std::vector<double> before(static_cast<std::size_t>(units_));  // the gradient of the state, but for products
        for (int64_t u = 0; u < units_; ++u) {
          const int64_t at = row * units_ + u;
          const auto of_b = static_cast<std::size_t>(b * units_ + u);
          if (ends(t, b)) {
            dh[of_b] = static_cast<double>(a.gh_last[of_b]);
            if (kind_ == RnnKind::lstm) dc[of_b] = static_cast<double>(a.gc_last[of_b]);
          }
          const double d = dh[of_b] + static_cast<double>(a.gy[at]);
          const auto gate = [&](int64_t k) { return static_cast<double>(gates[k * units_ + u]); };
          const auto put = [&](int64_t k, double v) { gates[k * units_ + u] = static_cast<T>(v); };
          if (kind_ == RnnKind::lstm) {
            const double i = gate(0), f = gate(1), g = gate(2), o = gate(3), e = std::tanh(double(kept.extra[at]));
            const double cell = dc[of_b] + d * o * (1 - e * e);
            put(0, cell * g * i * (1 - i)), put(2, cell * i * (1 - g * g)), put(3, d * e * o * (1 - o));
            put(1, cell * static_cast<double>(state(a.c, kept.extra, t, b)[u]) * f * (1 - f));
            dc[of_b] = cell * f;
          } else if (kind_ == RnnKind::gru) {
            const double r = gate(0), z = gate(1), g = gate(2), s = static_cast<double>(kept.extra[at]);
            const double inner = d * (1 - z) * (1 - g * g);
            put(0, inner * s * r * (1 - r)), put(2, inner);
            put(1, d * (static_cast<double>(state(a.h, a.y, t, b)[u]) - g) * z * (1 - z));
            kept.extra[at] = static_cast<T>(inner * r);
            before[static_cast<std::size_t>(u)] = d * z;
          } else {
            const double y = gate(0);
            put(0, kind_ == RnnKind::tanh ? d * (1 - y * y) : y > 0 ? d : 0);
          }
        }
        for (int64_t j = 0; j < inputs_; ++j) {
          double sum = 0;
          each_gate([&](int64_t k, int64_t u) {
            sum += double(gates[k * units_ + u]) * double(a.weights[matrix(k) + u * inputs_ + j]);
          });
          a.gx[row * inputs_ + j] = static_cast<T>(sum);
        }
        for (int64_t j = 0; j < units_; ++j) {
          double sum = before[static_cast<std::size_t>(j)];
          each_gate([&](int64_t k, int64_t u) {
            sum += of_state(kept, row, k, u) * double(a.weights[matrix(gates_ + k) + u * units_ + j]);
          });
          const auto of_b = static_cast<std::size_t>(b * units_ + j);
          dh[of_b] = sum;
          if (t > 0) continue;
          a.gh[of_b] = static_cast<T>(sum);
          if (kind_ == RnnKind::lstm) a.gc[of_b] = static_cast<T>(dc[of_b]);
        }
      }
  }

  /// Adds to the gradients. After backward_data().
  void backward_weights(const Arrays& a) const {
    const Kept kept = kept_in(a.kept);
    for (int64_t k = 0; k < 2 * gates_; ++k)
      for (int64_t u = 0; u < units_; ++u)
        for (int64_t j = -1; j < columns(k); ++j) {  // -1 stands for the bias
          double sum = 0;
          for (std::size_t t = 0; t < sizes_.size(); ++t)
            for (int64_t b = 0; b < sizes_[t]; ++b) {
              const int64_t row = starts_[t] + b;
              const double d =
                  k < gates_ ? double(kept.gates[(row * gates_ + k) * units_ + u]) : of_state(kept, row, k - gates_, u);
              const T* const from = k < gates_ ? a.x + row * inputs_ : state(a.h, a.y, t, b);
              sum += j < 0 ? d : d * static_cast<double>(from[j]);
            }
          T& to = a.gweights[j < 0 ? bias(k) + u : matrix(k) + u * columns(k) + j];
          to = static_cast<T>(static_cast<double>(to) + sum);
        }
  }

 private:
  struct Kept {
    T *gates, *extra;
  };
  Kept kept_in(T* at) const { return {at, at + items() * units_ * gates_}; }
  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
  bool ends(std::size_t t, int64_t b) const { return t + 1 == sizes_.size() || b >= sizes_[t + 1]; }
  // The state of sequence b before time t.
  const T* state(const T* first, const T* states, std::size_t t, int64_t b) const {
    return t == 0 ? first + b * units_ : states + (starts_[t - 1] + b) * units_;
  }
  template <class F>
  void each_gate(const F& f) const {
    for (int64_t k = 0; k < gates_; ++k)
      for (int64_t u = 0; u < units_; ++u) f(k, u);
  }
  // The gradient of what a gate adds from the state.
  double of_state(const Kept& kept, int64_t row, int64_t k, int64_t u) const {
    if (kind_ == RnnKind::gru && k == 2) return static_cast<double>(kept.extra[row * units_ + u]);
    return static_cast<double>(kept.gates[(row * gates_ + k) * units_ + u]);
  }

  RnnKind kind_;
  int64_t inputs_, units_, gates_;
  std::vector<int64_t> sizes_, starts_{0};
};

}  // namespace chainer::cuda::emulation
