// Inner loops of Winograd's algorithm. Compiled once per instruction set.
//
// A polynomial of degree 5, the product of four results and three taps, is known by its values at 0, a, -a, b, -b and
// its highest coefficient. Of the pairs of points with few digits a = 5/8 and b = 3/2 round least: by half as much as 1
// and 2. The transforms (A of results, G of filters, B of images) are those of Toom and Cook's products at these
// points.
#include <cstring>

#include "chainer/backend/cpu/kernels/winograd_table.h"

namespace {

using namespace chainer::cpu;

constexpr int64_t kBytes = __BIGGEST_ALIGNMENT__ >= 16 ? __BIGGEST_ALIGNMENT__ : 16;  // a vector register's
constexpr int64_t kLanes = kBytes / 4;
typedef float Vector __attribute__((vector_size(kBytes)));

[[gnu::always_inline]] inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
[[gnu::always_inline]] inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }

constexpr double a = 0.625, b = 1.5, a2 = a * a, b2 = b * b;

// Each of these takes vectors that lie `step` apart, and leaves its results in the same way.
struct Image {  // the rows of B
  static constexpr int from = kTile, to = kTile;
  [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
    constexpr float ka = a, kb = b, ka2 = a2, kb2 = b2, sum = a2 + b2, product = a2 * b2;
    const Vector even_a = x[4 * s] - kb2 * x[2 * s], odd_a = ka * (x[3 * s] - kb2 * x[s]);
    const Vector even_b = x[4 * s] - ka2 * x[2 * s], odd_b = kb * (x[3 * s] - ka2 * x[s]);
    const Vector first = x[4 * s] - sum * x[2 * s] + product * x[0];
    const Vector last = x[5 * s] - sum * x[3 * s] + product * x[s];
    y[0] = first, y[t] = even_a + odd_a, y[2 * t] = even_a - odd_a, y[3 * t] = even_b + odd_b;
    y[4 * t] = even_b - odd_b, y[5 * t] = last;
  }
};
struct Results {  // the transposed rows of A
  static constexpr int from = kTile, to = kTileOut;
  [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
    constexpr float ka = a, kb = b, ka2 = a2, kb2 = b2, ka3 = a * a2, kb3 = b * b2;
    const Vector plus_a = x[s] + x[2 * s], minus_a = x[s] - x[2 * s];
    const Vector plus_b = x[3 * s] + x[4 * s], minus_b = x[3 * s] - x[4 * s];
    const Vector y0 = x[0] + plus_a + plus_b, y3 = ka3 * minus_a + kb3 * minus_b + x[5 * s];
    y[0] = y0, y[t] = ka * minus_a + kb * minus_b, y[2 * t] = ka2 * plus_a + kb2 * plus_b, y[3 * t] = y3;
  }
};
struct Gradients {  // the columns of A
  static constexpr int from = kTileOut, to = kTile;
  [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
    constexpr float ka = a, kb = b, ka2 = a2, kb2 = b2;
    const Vector even_a = x[0] + ka2 * x[2 * s], odd_a = ka * (x[s] + ka2 * x[3 * s]);
    const Vector even_b = x[0] + kb2 * x[2 * s], odd_b = kb * (x[s] + kb2 * x[3 * s]);
    const Vector first = x[0], last = x[3 * s];
    y[0] = first, y[t] = even_a + odd_a, y[2 * t] = even_a - odd_a, y[3 * t] = even_b + odd_b;
    y[4 * t] = even_b - odd_b, y[5 * t] = last;
  }
};
// One over the products of a point's distances from the others.
constexpr double n0 = 1 / (a2 * b2), na = 1 / (2 * a2 * (a2 - b2)), nb = 1 / (2 * b2 * (b2 - a2));
struct Filter {  // the rows of G
  static constexpr int from = 3, to = kTile;
  [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
    constexpr float k0 = n0, ka0 = na, ka1 = na * a, ka2 = na * a * a, kb0 = nb, kb1 = nb * b, kb2 = nb * b * b;
    const Vector even_a = ka0 * x[0] + ka2 * x[2 * s], odd_a = ka1 * x[s];
    const Vector even_b = kb0 * x[0] + kb2 * x[2 * s], odd_b = kb1 * x[s];
    const Vector first = k0 * x[0], last = x[2 * s];
    y[0] = first, y[t] = even_a + odd_a, y[2 * t] = even_a - odd_a, y[3 * t] = even_b + odd_b;
    y[4 * t] = even_b - odd_b, y[5 * t] = last;
  }
};
struct FilterGradient {  // the columns of G
  static constexpr int from = kTile, to = 3;
  [[gnu::always_inline]] static void run(const Vector* x, int s, Vector* y, int t) {
    constexpr float k0 = n0, ka0 = na, ka1 = na * a, ka2 = na * a * a, kb0 = nb, kb1 = nb * b, kb2 = nb * b * b;
    const Vector plus_a = x[s] + x[2 * s], minus_a = x[s] - x[2 * s];
    const Vector plus_b = x[3 * s] + x[4 * s], minus_b = x[3 * s] - x[4 * s];
    const Vector y0 = k0 * x[0] + ka0 * plus_a + kb0 * plus_b, y2 = ka2 * plus_a + kb2 * plus_b + x[5 * s];
    y[0] = y0, y[t] = ka1 * minus_a + kb1 * minus_b, y[2 * t] = y2;
  }
};

// A transform along both axes of a tile: get(i) is pixel i, put(i, v) takes transformed pixel i.
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

template <class T>
void transform(const float* const* pixel, int64_t vectors, float* out, int64_t apart, VectorOrder order, int64_t row) {
  for (int64_t v = 0; v < vectors; ++v) {
    float* const to = out + order.base[v] + row * order.step[v];
    both_axes<T>([&](int i) { return load(pixel[i] + v * kLanes); },
                 [&](int i, Vector x) { store(to + i * apart, x); });
  }
}

void filter(const float* from, bool backwards, float* out, int64_t apart) {
  both_axes<Filter>([&](int i) { return load(from + (backwards ? 8 - i : i) * kLanes); },
                    [&](int i, Vector x) { store(out + i * apart, x); });
}

void filter_gradient(const float* products, int64_t apart, float* to) {
  both_axes<FilterGradient>([&](int i) { return load(products + i * apart); },
                            [&](int i, Vector x) { store(to + i * kLanes, x); });
}

void result(const float* products, int64_t apart, int64_t vectors, const TileResult& to) {
  for (int64_t v = 0; v < vectors; ++v) {
    const Vector bias = to.bias ? load(to.bias + v * kLanes) : Vector{};
    both_axes<Results>([&](int i) { return load(products + i * apart + v * kLanes); },
                       [&](int i, Vector x) {
                         if (i / kTileOut >= to.lines || i % kTileOut >= to.pixels) return;
                         float* const at = to.out + i / kTileOut * to.line + i % kTileOut * to.pixel + v * kLanes;
                         store(at, to.add ? load(at) + (x + bias) : x + bias);
                       });
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_winograd(WinogradKernels& k) {
  k = {transform<Image>, transform<Gradients>, filter, result, filter_gradient};
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
