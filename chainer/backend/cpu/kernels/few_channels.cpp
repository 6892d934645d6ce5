// SPDX-License-Identifier: MIT
// Convolutions with few channels: a vector holds several adjacent pixels, because a vector with the channels of one
// pixel would be at most half full. For AVX-512 only: narrower vectors are full enough.
#include <cstring>

#include "chainer/backend/cpu/kernels/image_table.h"

namespace {

#if defined(__AVX512F__)
using chainer::cpu::FewChannelsForward;
using chainer::cpu::FewChannelsGradient;
using chainer::cpu::kFewLanes;

typedef float Vector __attribute__((vector_size(kFewLanes * sizeof(float))));
typedef int32_t Mask __attribute__((vector_size(kFewLanes * sizeof(float))));

[[gnu::always_inline]] inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// One vector of each of R lines of results, for G lines of the filters: each vector of the image is loaded once for all
// of them.
template <int R, int G>
[[gnu::always_inline]] inline void add_lines(const FewChannelsForward& f, Vector (&sum)[R], const float* line,
                                             const float* w, int64_t next_row) {
  for (int64_t x = 0; x < f.columns; ++x, line += f.results, w += f.vectors * kFewLanes) {
    Vector weight[G];
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) weight[g] = load(w + g * next_row);
#pragma GCC unroll 32
    for (int y = 0; y < R + G - 1; ++y) {
      const Vector here = load(line + y * f.line_step);
#pragma GCC unroll 8
      for (int g = 0; g < G; ++g)
        if (y >= g && y - g < R) sum[y - g] += here * weight[g];
    }
  }
}

template <int R>
void forward_lines(const FewChannelsForward& f, int64_t first) {
  const int64_t row = f.columns * f.vectors * kFewLanes;
  for (int64_t l = 0, phase = 0; l < f.out_length; l += kFewLanes, phase = phase + 1 < f.vectors ? phase + 1 : 0) {
    Vector sum[R];
    for (int r = 0; r < R; ++r) sum[r] = load(f.bias + phase * kFewLanes);
    for (int64_t c = 0; c < f.channels; ++c) {
      const float* line = f.lines + c * f.channel_step + first * f.line_step + l;
      const float* w = f.weights + c * f.rows * row + phase * kFewLanes;
      int64_t y = 0;
      for (; y + 5 <= f.rows; y += 5) add_lines<R, 5>(f, sum, line + y * f.line_step, w + y * row, row);
      for (; y + 3 <= f.rows; y += 3) add_lines<R, 3>(f, sum, line + y * f.line_step, w + y * row, row);
      for (; y < f.rows; ++y) add_lines<R, 1>(f, sum, line + y * f.line_step, w + y * row, row);
    }
    const auto bytes =
        static_cast<std::size_t>(f.out_length - l < kFewLanes ? f.out_length - l : kFewLanes) * sizeof(float);
    for (int r = 0; r < R; ++r) {
      float* const to = f.out + (first + r) * f.out_length + l;
      bytes == sizeof(Vector) ? std::memcpy(to, &sum[r], sizeof(Vector)) : std::memcpy(to, &sum[r], bytes);
    }
  }
}

// The last lines are computed again together with those before them, instead of one by one.
void forward(const FewChannelsForward& f) {
  constexpr int kLines = 8;
  for (int64_t line = 0; line + kLines <= f.out_lines; line += kLines) forward_lines<kLines>(f, line);
  const int64_t left = f.out_lines % kLines;
  if (left > 0 && f.out_lines >= kLines) return forward_lines<kLines>(f, f.out_lines - kLines);
  for (int64_t line = 0; line < left; ++line) forward_lines<1>(f, line);
}

// Writes each pixel of a line `count` times, and up to eight floats after the last one.
void spread(float* to, const float* from, int64_t pixels, int64_t step, int64_t count) {
  typedef float Half __attribute__((vector_size(8 * sizeof(float))));
  for (int64_t p = 0; p < pixels; ++p, to += count) {
    const Half v = Half{} + from[p * step];
    std::memcpy(to, &v, sizeof v);
  }
}

// Adds the contributions of X pixels of the results to G lines of their windows.
template <int V, int G, int X>
[[gnu::always_inline]] inline void windows(const FewChannelsGradient& f, const float* const (&gy)[X], const float* w,
                                           float* const (&to)[X]) {
  Vector sum[X][G * V] = {};
  for (int64_t k = 0; k < f.results; ++k, w += f.rows * V * kFewLanes) {
    Vector here[X];
#pragma GCC unroll 2
    for (int x = 0; x < X; ++x) here[x] = Vector{} + gy[x][k];
#pragma GCC unroll 16
    for (int i = 0; i < G * V; ++i) {
      const Vector weight = load(w + i * kFewLanes);
#pragma GCC unroll 2
      for (int x = 0; x < X; ++x) sum[x][i] += here[x] * weight;
    }
  }
  // After the window are sums of other pixels, which must not be changed, not even by 0 * infinity.
  Mask inside;
  for (int l = 0; l < kFewLanes; ++l) inside[l] = (V - 1) * kFewLanes + l < f.columns * f.channels ? -1 : 0;
#pragma GCC unroll 2
  for (int x = 0; x < X; ++x)
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g)
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        float* at = to[x] + g * f.plane_step + v * kFewLanes;
        const Vector before = load(at), after = before + sum[x][g * V + v];
        const Vector chosen = v == V - 1 ? (inside ? after : before) : after;
        std::memcpy(at, &chosen, sizeof chosen);
      }
}

template <int V, int G>
void gradient_lines(const FewChannelsGradient& f, const float* gy, const float* w, float* to) {
  // Two pixels whose windows do not overlap are processed together.
  for (int64_t begin = 0; begin < f.out_columns; begin += 2 * f.columns)
    for (int64_t i = begin; i < begin + f.columns && i < f.out_columns; ++i) {
      const int64_t other = i + f.columns;
      const float* g = gy + i * f.results;
      float* at = to + i * f.channels;
      if (other < f.out_columns)
        windows<V, G, 2>(f, {g, gy + other * f.results}, w, {at, to + other * f.channels});
      else
        windows<V, G, 1>(f, {g}, w, {at});
    }
}

template <int V>
void gradient_by(const FewChannelsGradient& f) {
  constexpr int kLines = 5;
  for (int64_t y = 0; y < f.out_lines; ++y) {
    const float* gy = f.gy + y * f.out_columns * f.results;
    float* to = f.plane + y * f.plane_step;
    int64_t line = 0;
    const auto w = [&] { return f.weights + line * V * kFewLanes; };
    for (; line + kLines <= f.rows; line += kLines) gradient_lines<V, kLines>(f, gy, w(), to + line * f.plane_step);
    for (; line < f.rows; ++line) gradient_lines<V, 1>(f, gy, w(), to + line * f.plane_step);
  }
}

void gradient(const FewChannelsGradient& f) {
  f.columns* f.channels <= kFewLanes ? gradient_by<1>(f) : gradient_by<2>(f);
}
#endif

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_few_channels([[maybe_unused]] ImageKernels& k) {
#if defined(__AVX512F__)
  k.few_forward = forward;
  k.few_spread = spread;
  k.few_gradient = gradient;
#endif
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
