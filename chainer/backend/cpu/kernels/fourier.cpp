// SPDX-License-Identifier: MIT
// Steps of Fourier transforms. Compiled once per instruction set.
//
// A step of radix R combines transforms in Stockham's order, which needs no reordering. With n the remaining length, m
// = n / R, and s the product of the previous radices:
//   y[q + s (R p + j)] = w^(p j) sum over k of x[q + s (p + k m)] exp(-2 pi i j k / R),   w = exp(-2 pi i / n),
// for p < m and q < s. Real and imaginary parts are in separate arrays. Loops over q vectorise; if s is one, loops over
// p.
#include <cstdint>

#include "chainer/backend/cpu/kernels/row_table.h"
#include "chainer/core/ivdep.h"

namespace {

template <class T>
struct Complex {
  T re, im;
};
template <class T>
inline Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
inline Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
inline Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
inline Complex<T> operator*(T a, Complex<T> b) {
  return {a * b.re, a * b.im};
}
/// Returns a times -i.
template <class T>
inline Complex<T> turned(Complex<T> a) {
  return {a.im, -a.re};
}

// Transforms of R numbers: read(k) returns input k, write(j, value) stores result j.
template <int R>
struct Butterfly;
template <>
struct Butterfly<2> {
  template <class T, class Read, class Write>
  static inline void run(Read read, Write write) {
    const Complex<T> a = read(0), b = read(1);
    write(0, a + b);
    write(1, a - b);
  }
};
template <>
struct Butterfly<3> {
  template <class T, class Read, class Write>
  static inline void run(Read read, Write write) {
    const Complex<T> a = read(0), b = read(1), c = read(2), sum = b + c;
    const Complex<T> middle = a - T(0.5) * sum, side = T(0.86602540378443864676) * turned(b - c);
    write(0, a + sum);
    write(1, middle + side);
    write(2, middle - side);
  }
};
template <>
struct Butterfly<4> {
  template <class T, class Read, class Write>
  static inline void run(Read read, Write write) {
    const Complex<T> a = read(0), b = read(1), c = read(2), d = read(3);
    const Complex<T> ac = a + c, bd = b + d, a_c = a - c, b_d = turned(b - d);
    write(0, ac + bd);
    write(1, a_c + b_d);
    write(2, ac - bd);
    write(3, a_c - b_d);
  }
};
template <>
struct Butterfly<5> {
  template <class T, class Read, class Write>
  static inline void run(Read read, Write write) {
    constexpr T c1 = T(0.30901699437494742410), c2 = T(-0.80901699437494742410);
    constexpr T s1 = T(0.95105651629515357212), s2 = T(0.58778525229247312917);
    const Complex<T> a = read(0), b = read(1), c = read(2), d = read(3), e = read(4);
    const Complex<T> be = b + e, cd = c + d, b_e = turned(b - e), c_d = turned(c - d);
    const Complex<T> m1 = a + c1 * be + c2 * cd, m2 = a + c2 * be + c1 * cd;
    const Complex<T> n1 = s1 * b_e + s2 * c_d, n2 = s2 * b_e - s1 * c_d;
    write(0, a + be + cd);
    write(1, m1 + n1);
    write(2, m2 + n2);
    write(3, m2 - n2);
    write(4, m1 - n1);
  }
};
template <>
struct Butterfly<8> {
  template <class T, class Read, class Write>
  static inline void run(Read read, Write write) {
    constexpr T root = T(0.70710678118654752440);
    const Complex<T> a0 = read(0), a1 = read(1), a2 = read(2), a3 = read(3);
    const Complex<T> a4 = read(4), a5 = read(5), a6 = read(6), a7 = read(7);
    const Complex<T> b0 = a0 + a4, b1 = a1 + a5, b2 = a2 + a6, b3 = a3 + a7;
    const Complex<T> c0 = a0 - a4, d1 = a1 - a5, c2 = turned(a2 - a6), d3 = a3 - a7;
    // The odd half is rotated by an eighth of a circle per step.
    const Complex<T> c1 = {root * (d1.re + d1.im), root * (d1.im - d1.re)};
    const Complex<T> c3 = {root * (d3.im - d3.re), -(root * (d3.re + d3.im))};
    const Complex<T> e0 = b0 + b2, e1 = b1 + b3, e2 = b0 - b2, e3 = turned(b1 - b3);
    const Complex<T> f0 = c0 + c2, f1 = c1 + c3, f2 = c0 - c2, f3 = turned(c1 - c3);
    write(0, e0 + e1);
    write(1, f0 + f1);
    write(2, e2 + e3);
    write(3, f2 + f3);
    write(4, e0 - e1);
    write(5, f0 - f1);
    write(6, e2 - e3);
    write(7, f2 - f3);
  }
};

template <class T>
using Step = chainer::cpu::FourierStep<T>;

// For s = 1: loops over p, with vectors of factors.
template <class T, int R>
void along_p(const Step<T>& f) {
  const int64_t m = f.m;
  const T *xr = f.xr, *xi = f.xi, *wr = f.wr, *wi = f.wi;
  T *yr = f.yr, *yi = f.yi;
  CHAINER_IVDEP
  for (int64_t p = 0; p < m; ++p) {
    Butterfly<R>::template run<T>(
        [&](int k) -> Complex<T> {
          return {xr[p + k * m], xi[p + k * m]};
        },
        [&](int j, Complex<T> v) {
          const Complex<T> w = {wr[j * m + p], wi[j * m + p]};
          const Complex<T> y = j ? v * w : v;
          yr[R * p + j] = y.re;
          yi[R * p + j] = y.im;
        });
  }
}
// Loops over s numbers, or over kS if it is known.
template <class T, int R, int64_t kS>
void along_q(const Step<T>& f) {
  const int64_t m = f.m, s = kS ? kS : f.s;
  for (int64_t p = 0; p < m; ++p) {
    const T *xr = f.xr + s * p, *xi = f.xi + s * p;
    T *yr = f.yr + s * R * p, *yi = f.yi + s * R * p;
    Complex<T> w[R];
    for (int j = 0; j < R; ++j) w[j] = {f.wr[j * m + p], f.wi[j * m + p]};
    CHAINER_IVDEP
    for (int64_t q = 0; q < s; ++q) {
      Butterfly<R>::template run<T>(
          [&](int k) -> Complex<T> {
            return {xr[q + s * m * k], xi[q + s * m * k]};
          },
          [&](int j, Complex<T> v) {
            const Complex<T> y = j ? v * w[j] : v;
            yr[q + s * j] = y.re;
            yi[q + s * j] = y.im;
          });
    }
  }
}
template <class T, int R>
void step(const Step<T>& f) {
  if (f.s == 1) return along_p<T, R>(f);
  if (f.s == 4) return along_q<T, R, 4>(f);
  if (f.s == 8) return along_q<T, R, 8>(f);
  along_q<T, R, 0>(f);
}

// Any radix, with one sum per result. `roots` are the R-th roots of unity, in order.
template <class T>
void sums(const Step<T>& f) {
  const int64_t r = f.radix, m = f.m, s = f.s;
  for (int64_t p = 0; p < m; ++p)
    for (int64_t j = 0; j < r; ++j) {
      T *yr = f.yr + s * (r * p + j), *yi = f.yi + s * (r * p + j);
      for (int64_t k = 0; k < r; ++k) {
        const Complex<T> root = {f.root_r[j * k % r], f.root_i[j * k % r]};
        const Complex<T> w = root * Complex<T>{f.wr[j * m + p], f.wi[j * m + p]};
        const T *xr = f.xr + s * (p + k * m), *xi = f.xi + s * (p + k * m);
        CHAINER_IVDEP
        for (int64_t q = 0; q < s; ++q) {
          const Complex<T> y = w * Complex<T>{xr[q], xi[q]};
          yr[q] = k ? yr[q] + y.re : y.re;
          yi[q] = k ? yi[q] + y.im : y.im;
        }
      }
    }
}

template <class T>
void fourier(const Step<T>& f) {
  switch (f.radix) {
    case 2: return step<T, 2>(f);
    case 3: return step<T, 3>(f);
    case 4: return step<T, 4>(f);
    case 5: return step<T, 5>(f);
    case 8: return step<T, 8>(f);
    default: return sums<T>(f);
  }
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_fourier(FourierKernels& k) {
  k.float32 = fourier<float>;
  k.float64 = fourier<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
