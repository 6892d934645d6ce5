// SPDX-License-Identifier: MIT
// Kernels of Winograd's algorithm. Compiled once per instruction set.
//
// The product polynomial of four results and some taps is determined by its values at a few points and its highest
// coefficient. The transforms (A of results, G of filters, B of images) are those of the Toom-Cook algorithm. Its
// points are those with the smallest rounding errors among points with few digits: 0, 5/8, -5/8, 3/2, -3/2 for three
// taps (half of the error of 1 and 2), and 0, 3/4, -3/4, 2 for two taps.
#include "chainer/backend/cpu/kernels/float_vector.h"
#include "chainer/backend/cpu/kernels/winograd_table.h"

namespace {

using namespace chainer::cpu;

// Each transform reads vectors at distance s, and stores its results consecutively or at distance t.
struct ThreeTaps {
  static constexpr int taps = 3, side = 6;
  static constexpr double a = 0.625, b = 1.5, a2 = a * a, b2 = b * b;
  // One over the product of a point's differences from the others.
  static constexpr double n0 = 1 / (a2 * b2), na = 1 / (2 * a2 * (a2 - b2)), nb = 1 / (2 * b2 * (b2 - a2));
  static constexpr float ka = a, kb = b, ka2 = a2, kb2 = b2, ka3 = a * a2, kb3 = b * b2;
  static constexpr float g0 = n0, ga0 = na, ga1 = na * a, ga2 = na * a2, gb0 = nb, gb1 = nb * b, gb2 = nb * b2;

  struct Image {  // the rows of B
    static constexpr int from = side, to = side;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      constexpr float sum = a2 + b2, product = a2 * b2;
      const Vector even_a = x[4 * s] - kb2 * x[2 * s], odd_a = ka * (x[3 * s] - kb2 * x[s]);
      const Vector even_b = x[4 * s] - ka2 * x[2 * s], odd_b = kb * (x[3 * s] - ka2 * x[s]);
      y[0] = x[4 * s] - sum * x[2 * s] + product * x[0];
      y[t] = even_a + odd_a, y[2 * t] = even_a - odd_a, y[3 * t] = even_b + odd_b, y[4 * t] = even_b - odd_b;
      y[5 * t] = x[5 * s] - sum * x[3 * s] + product * x[s];
    }
  };
  struct Results {  // the columns of A
    static constexpr int from = side, to = kTileOut;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      const Vector plus_a = x[s] + x[2 * s], minus_a = x[s] - x[2 * s];
      const Vector plus_b = x[3 * s] + x[4 * s], minus_b = x[3 * s] - x[4 * s];
      y[0] = x[0] + plus_a + plus_b, y[t] = ka * minus_a + kb * minus_b, y[2 * t] = ka2 * plus_a + kb2 * plus_b;
      y[3 * t] = ka3 * minus_a + kb3 * minus_b + x[5 * s];
    }
  };
  struct Gradients {  // the rows of A
    static constexpr int from = kTileOut, to = side;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      const Vector even_a = x[0] + ka2 * x[2 * s], odd_a = ka * (x[s] + ka2 * x[3 * s]);
      const Vector even_b = x[0] + kb2 * x[2 * s], odd_b = kb * (x[s] + kb2 * x[3 * s]);
      y[0] = x[0], y[t] = even_a + odd_a, y[2 * t] = even_a - odd_a, y[3 * t] = even_b + odd_b;
      y[4 * t] = even_b - odd_b, y[5 * t] = x[3 * s];
    }
  };
  struct Filter {  // the rows of G
    static constexpr int from = taps, to = side;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      const Vector even_a = ga0 * x[0] + ga2 * x[2 * s], odd_a = ga1 * x[s];
      const Vector even_b = gb0 * x[0] + gb2 * x[2 * s], odd_b = gb1 * x[s];
      y[0] = g0 * x[0], y[t] = even_a + odd_a, y[2 * t] = even_a - odd_a, y[3 * t] = even_b + odd_b;
      y[4 * t] = even_b - odd_b, y[5 * t] = x[2 * s];
    }
  };
  struct FilterGradient {  // the columns of G
    static constexpr int from = side, to = taps;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      const Vector plus_a = x[s] + x[2 * s], minus_a = x[s] - x[2 * s];
      const Vector plus_b = x[3 * s] + x[4 * s], minus_b = x[3 * s] - x[4 * s];
      y[0] = g0 * x[0] + ga0 * plus_a + gb0 * plus_b, y[t] = ga1 * minus_a + gb1 * minus_b;
      y[2 * t] = ga2 * plus_a + gb2 * plus_b + x[5 * s];
    }
  };
};

struct TwoTaps {
  static constexpr int taps = 2, side = 5;
  static constexpr double a = 0.75, b = 2, a2 = a * a, b2 = b * b;
  static constexpr double n0 = 1 / (a2 * b), np = 1 / (2 * a2 * (a - b)), nm = -1 / (2 * a2 * (a + b)),
                          nb = 1 / (b * (b2 - a2));
  static constexpr float ka = a, kb = b, ka2 = a2, kb2 = b2, ka3 = a * a2, kb3 = b * b2;
  static constexpr float g0 = n0, gp0 = np, gp1 = np * a, gm0 = nm, gm1 = -nm * a, gb0 = nb, gb1 = nb * b;

  struct Image {
    static constexpr int from = side, to = side;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      const Vector d0 = x[s] - kb * x[0], d1 = x[2 * s] - kb * x[s], d2 = x[3 * s] - kb * x[2 * s];
      const Vector d3 = x[4 * s] - kb * x[3 * s];
      y[0] = d2 - ka2 * d0, y[t] = d2 + ka * d1, y[2 * t] = d2 - ka * d1, y[3 * t] = x[3 * s] - ka2 * x[s];
      y[4 * t] = d3 - ka2 * d1;
    }
  };
  struct Results {
    static constexpr int from = side, to = kTileOut;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      const Vector plus = x[s] + x[2 * s], minus = x[s] - x[2 * s], at_b = x[3 * s];
      y[0] = x[0] + plus + at_b, y[t] = ka * minus + kb * at_b, y[2 * t] = ka2 * plus + kb2 * at_b;
      y[3 * t] = ka3 * minus + kb3 * at_b + x[4 * s];
    }
  };
  struct Gradients {
    static constexpr int from = kTileOut, to = side;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      const Vector even = x[0] + ka2 * x[2 * s], odd = ka * (x[s] + ka2 * x[3 * s]);
      y[0] = x[0], y[t] = even + odd, y[2 * t] = even - odd;
      y[3 * t] = x[0] + kb * (x[s] + kb * (x[2 * s] + kb * x[3 * s])), y[4 * t] = x[3 * s];
    }
  };
  struct Filter {
    static constexpr int from = taps, to = side;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      y[0] = g0 * x[0], y[t] = gp0 * x[0] + gp1 * x[s], y[2 * t] = gm0 * x[0] + gm1 * x[s];
      y[3 * t] = gb0 * x[0] + gb1 * x[s], y[4 * t] = x[s];
    }
  };
  struct FilterGradient {
    static constexpr int from = side, to = taps;
    [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
      y[0] = g0 * x[0] + gp0 * x[s] + gm0 * x[2 * s] + gb0 * x[3 * s];
      y[t] = gp1 * x[s] + gm1 * x[2 * s] + gb1 * x[3 * s] + x[4 * s];
    }
  };
};

// A transform along both axes of a tile: get(i) returns pixel i, put(i, v) stores transformed pixel i.
template <class T, class Get, class Put>
[[gnu::always_inline]] inline void both_axes(Get&& get, Put&& put) {
  constexpr int n = T::from, m = T::to;
  Vector half[m * n];
#pragma GCC unroll 6
  for (int x = 0; x < n; ++x) {
    Vector column[n];
#pragma GCC unroll 6
    for (int y = 0; y < n; ++y) column[y] = get(y * n + x);
    T::run(column, 1, half + x, n);
  }
#pragma GCC unroll 6
  for (int y = 0; y < m; ++y) {
    Vector line[m];
    T::run(half + y * n, 1, line, 1);
#pragma GCC unroll 6
    for (int x = 0; x < m; ++x) put(y * m + x, line[x]);
  }
}

template <class T, class Element>
void transform(const void* const* pixel, int64_t vectors, float* out, int64_t apart, VectorOrder order, int64_t row) {
  for (int64_t v = 0; v < vectors; ++v) {
    float* const to = out + order.base[v] + row * order.step[v];
    both_axes<T>([&](int i) { return load(static_cast<const Element*>(pixel[i]) + v * kLanes); },
                 [&](int i, Vector x) { store(to + i * apart, x); });
  }
}

template <class T>
void filter(const float* const* tap, float* out, int64_t apart) {
  both_axes<T>([&](int i) { return load(tap[i]); }, [&](int i, Vector x) { store(out + i * apart, x); });
}

template <class T>
void filter_gradient(const float* products, int64_t apart, float* to) {
  both_axes<T>([&](int i) { return load(products + i * apart); }, [&](int i, Vector x) { store(to + i * kLanes, x); });
}

template <class T, class Element>
void result(const float* products, int64_t apart, int64_t vectors, const TileResult& to) {
  for (int64_t v = 0; v < vectors; ++v) {
    const Vector bias = to.bias ? load(to.bias + v * kLanes) : Vector{};
    both_axes<T>([&](int i) { return load(products + i * apart + v * kLanes); },
                 [&](int i, Vector x) {
                   if (i / kTileOut >= to.lines || i % kTileOut >= to.pixels) return;
                   Element* const at =
                       static_cast<Element*>(to.out) + i / kTileOut * to.line + i % kTileOut * to.pixel + v * kLanes;
                   store(at, to.add ? load(at) + (x + bias) : x + bias);
                 });
  }
}

template <class T>
constexpr WinogradTransforms transforms() {
  return {T::taps,
          T::side,
          {transform<typename T::Image, float>, transform<typename T::Image, uint16_t>},
          {transform<typename T::Gradients, float>, transform<typename T::Gradients, uint16_t>},
          filter<typename T::Filter>,
          {result<typename T::Results, float>, result<typename T::Results, uint16_t>},
          filter_gradient<typename T::FilterGradient>};
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_winograd(WinogradKernels& k) { k = {transforms<ThreeTaps>(), transforms<TwoTaps>()}; }
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
