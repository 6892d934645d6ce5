// Rows picked and added by index, the optimizers' passes, and counter-based random numbers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "chainer/array/order.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/scatter.h"

namespace chainer::cpu {

void CpuBackend::take_rows(const Array& a, const Array& index, Array& out) {
  const Array source = dense(a, a.dtype()), at = dense(index, int64);
  const int64_t rows = at.size();
  if (rows == 0 || out.size() == 0) return;
  const int64_t bytes = source.nbytes() / source.shape()[0];
  const int64_t* i = at.data<int64_t>();
  const char* from = static_cast<const char*>(source.raw());
  char* to = static_cast<char*>(out.mutable_raw());
  parallel_ranges(rows, rows * bytes / 4, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      std::memcpy(to + r * bytes, from + i[r] * bytes, static_cast<std::size_t>(bytes));
  });
}

void CpuBackend::scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) {
  const Array at = dense(index, int64), source = dense(values, out.dtype());
  const int64_t rows = at.size();
  if (rows == 0 || out.size() == 0) return;
  const int64_t width = out.size() / out.shape()[0];
  const int64_t* i = at.data<int64_t>();
  visit(out.dtype(), "scatter_rows", [&]<class T>() {
    const T* from = static_cast<const T*>(source.raw());
    T* to = static_cast<T*>(out.mutable_raw());
    for_owned_rows(i, rows, out.shape()[0], width * static_cast<int64_t>(sizeof(T)), reinterpret_cast<char*>(to),
                   [&](char* row, int64_t r) {
                     T* o = reinterpret_cast<T*>(row);
                     const T* v = from + r * width;
                     if (!accumulate) {
                       std::copy(v, v + width, o);
                     } else {
                       for (int64_t c = 0; c < width; ++c) o[c] = static_cast<T>(o[c] + v[c]);
                     }
                   });
  });
}

void CpuBackend::update(Update op, Array& param, const Array& grad, std::span<Array> states,
                        std::span<const double> hyper) {
  const Kernels& k = kernels();
  const Compute c = compute_type(param.dtype());
  const Dtype work = c == kF64 ? float64 : float32;
  if (param.dtype() != work) {  // 16-bit parameters without a master copy: update in float32, store back
    Array wide = param.astype(float32);
    std::vector<Array> wide_states;
    for (Array& s : states) wide_states.push_back(s.astype(float32));
    update(op, wide, grad.astype(float32), wide_states, hyper);
    copy_elements(wide, param);
    for (std::size_t i = 0; i < states.size(); ++i) copy_elements(wide_states[i], states[i]);
    return;
  }
  if (!is_dense(param.body())) {
    Array copy = param.copy();
    update(op, copy, grad, states, hyper);
    return copy_elements(copy, param);
  }
  const Dims order = memory_order(param);
  for (Array& s : states) {
    if (same_layout(s.body(), param.body())) continue;
    Array moved = in_order(s, order), stored = std::exchange(s, moved);
    update(op, param, grad, states, hyper);
    copy_elements(moved, stored);
    s = stored;
    return;
  }
  const Array g = in_order(grad.astype(work, false), order);
  double h[6] = {};
  std::copy(hyper.begin(), hyper.end(), h);
  const int64_t item = compute_size(c);
  char* w = static_cast<char*>(param.mutable_raw());
  const char* gradient = static_cast<const char*>(g.raw());
  char* s[3] = {};
  for (std::size_t i = 0; i < states.size(); ++i) s[i] = static_cast<char*>(states[i].mutable_raw());
  const UpdateKernel kernel = k.update[c][static_cast<int>(op)];
  parallel_ranges(param.size(), param.size(), 64, [&](int64_t begin, int64_t end) {
    const int64_t at = begin * item;
    const auto shift = [&](char* p) -> char* { return p ? p + at : nullptr; };
    kernel(w + at, gradient + at, shift(s[0]), shift(s[1]), shift(s[2]), h, end - begin);
  });
}

namespace {
// A number of the dtype just below b: the half-open interval [a, b) must not reach b by rounding.
double below(double b, Dtype d) {
  if (d == float64 || b == 0) return std::nextafter(b, -HUGE_VAL);
  const int digits = d == float32 ? 24 : d == float16 ? 11 : 8;
  int exponent = 0;
  (void)std::frexp(b, &exponent);
  const double step = std::ldexp(1.0, exponent - digits);
  return (std::ceil(b / step) - 1) * step;
}
}  // namespace

void CpuBackend::random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) {
  if (out.size() == 0) return;
  if (!out.is_contiguous() || (out.dtype() != float32 && out.dtype() != float64)) {
    Array wide(out.shape(), out.dtype() == float64 ? float64 : float32, out.device());
    random(fill, seed, counter, a, b, wide);
    if (fill == RandomFill::uniform && is_floating(out.dtype())) {
      const auto last = static_cast<float>(std::max(a, below(b, out.dtype())));
      float* w = wide.mutable_data<float>();
      for (int64_t i = 0; i < wide.size(); ++i) w[i] = std::min(w[i], last);
    }
    return copy_elements(wide, out);
  }
  const Kernels& k = kernels();
  const auto run = [&]<class T>() {
    T* o = out.mutable_data<T>();
    // Element i always comes from word i of the stream, so the numbers do not depend on the split.
    parallel_ranges(out.size(), out.size() * 8, kBlock, [&](int64_t begin, int64_t end) {
      alignas(64) uint32_t words[kBlock];
      for (int64_t at = begin; at < end; at += kBlock) {
        const int64_t n = std::min(kBlock, end - at);
        k.philox(words, seed, counter + static_cast<uint64_t>(at / 4), (n + 3) / 4 * 4);
        T* y = o + at;
        if (fill == RandomFill::bernoulli) {
          const T value = static_cast<T>(b);
          const auto limit = static_cast<uint64_t>(std::ceil(a * 0x1p32));
          for (int64_t i = 0; i < n; ++i) y[i] = words[i] < limit ? value : T(0);
        } else if (fill == RandomFill::uniform) {
          const double scale = (b - a) * 0x1p-32;
          const T last = static_cast<T>(std::max(a, below(b, out.dtype())));
          for (int64_t i = 0; i < n; ++i) y[i] = std::min(static_cast<T>(a + scale * words[i]), last);
        } else {
          for (int64_t i = 0; i < n; i += 2) {  // Box-Muller on pairs of words
            const double r = std::sqrt(-2 * std::log((words[i] + 0.5) * 0x1p-32));
            const double angle = 2 * std::numbers::pi * 0x1p-32 * words[i + 1];
            y[i] = static_cast<T>(a + b * r * std::cos(angle));
            if (i + 1 < n) y[i + 1] = static_cast<T>(a + b * r * std::sin(angle));
          }
        }
      }
    });
  };
  if (out.dtype() == float32)
    run.operator()<float>();
  else
    run.operator()<double>();
}

}  // namespace chainer::cpu
