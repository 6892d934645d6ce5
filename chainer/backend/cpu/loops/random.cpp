// SPDX-License-Identifier: MIT
// Random numbers from the words of the counter-based generator.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "chainer/array/operations/ops.h"
#include "chainer/backend/common/largest_below.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

namespace {
// Box-Muller on pairs of words, vectorised in double: the differences to the C library's scalar functions vanish when
// rounded to float32.
void normal_pairs(const Kernels& k, const uint32_t* words, int64_t n, double mean, double deviation, float* y) {
  alignas(64) double radius[kBlock / 2], cosine[kBlock / 2], sine[kBlock / 2];
  const int64_t pairs = (n + 1) / 2;
  for (int64_t i = 0; i < pairs; ++i) {
    radius[i] = (words[2 * i] + 0.5) * 0x1p-32;
    sine[i] = 2 * std::numbers::pi * 0x1p-32 * words[2 * i + 1];
  }
  const auto apply = [&](Elementwise op, double* out, const double* in) {
    k.elementwise[kF64][static_cast<int>(op)](out, in, nullptr, nullptr, pairs);
  };
  apply(Elementwise::log, radius, radius);
  apply(Elementwise::cos, cosine, sine);
  apply(Elementwise::sin, sine, sine);
  for (int64_t i = 0; i < pairs; ++i) {
    const double r = deviation * std::sqrt(-2 * radius[i]);
    y[2 * i] = static_cast<float>(mean + r * cosine[i]);
    if (2 * i + 1 < n) y[2 * i + 1] = static_cast<float>(mean + r * sine[i]);
  }
}
}  // namespace

void CpuBackend::random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) {
  if (out.size() == 0) return;
  if (!out.is_contiguous() || (out.dtype() != float32 && out.dtype() != float64)) {
    Array wide(out.shape(), out.dtype() == float64 ? float64 : float32, out.device());
    random(fill, seed, counter, a, b, wide);
    if (fill == RandomFill::uniform && wide.dtype() == float32 && is_floating(out.dtype())) {
      const auto last = static_cast<float>(std::max(a, largest_below(b, out.dtype())));
      float* w = wide.mutable_data<float>();
      for (int64_t i = 0; i < wide.size(); ++i) w[i] = std::min(w[i], last);
    }
    return copy_elements(wide, out);
  }
  const Kernels& k = kernels();
  const auto run = [&]<class T>() {
    T* o = out.mutable_data<T>();
    // Element i is always computed from word i of the stream, so that the numbers do not depend on the split.
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
          const T last = static_cast<T>(std::max(a, largest_below(b, out.dtype())));
          for (int64_t i = 0; i < n; ++i) y[i] = std::min(static_cast<T>(a + scale * words[i]), last);
        } else if constexpr (sizeof(T) == 4) {
          normal_pairs(k, words, n, a, b, y);
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
