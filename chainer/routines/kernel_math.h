// SPDX-License-Identifier: MIT
// Vectorising functions for formulas of elementwise() and reduce(). In a formula, std::exp() is called for each
// element, kernel::exp() for a whole vector if the compiler and the C library support it (GCC with glibc on x86-64;
// elsewhere these are the C library's functions). Compile with -O3, and with the instruction set of the machine
// (-march=native) for its full vector width. Results differ from those of std::exp() by up to 4 units in the last
// place.
#pragma once
#include <cmath>
#include <concepts>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC_PREREQ) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if __GLIBC_PREREQ(2, 35)
#define CHAINER_VECTOR_FUNCTION __attribute__((simd("notinbranch"), const, nothrow))
#endif
#endif
#ifndef CHAINER_VECTOR_FUNCTION
#define CHAINER_VECTOR_FUNCTION
#endif

// The C library's functions under other names, declared to have vector versions.
#define CHAINER_KERNEL_FUNCTION(NAME)                                               \
  namespace detail {                                                                \
  extern "C" {                                                                      \
  CHAINER_VECTOR_FUNCTION float chainer_vector_##NAME##f(float) __asm__(#NAME "f"); \
  CHAINER_VECTOR_FUNCTION double chainer_vector_##NAME(double) __asm__(#NAME);      \
  }                                                                                 \
  }                                                                                 \
  inline float NAME(float x) { return detail::chainer_vector_##NAME##f(x); }        \
  inline double NAME(double x) { return detail::chainer_vector_##NAME(x); }         \
  template <std::integral T>                                                        \
  double NAME(T x) {                                                                \
    return NAME(static_cast<double>(x));                                            \
  }                                                                                 \
  static_assert(true)

namespace chainer::kernel {

CHAINER_KERNEL_FUNCTION(exp);
CHAINER_KERNEL_FUNCTION(expm1);
CHAINER_KERNEL_FUNCTION(log);
CHAINER_KERNEL_FUNCTION(log1p);
CHAINER_KERNEL_FUNCTION(sin);
CHAINER_KERNEL_FUNCTION(cos);
CHAINER_KERNEL_FUNCTION(tan);
CHAINER_KERNEL_FUNCTION(atan);
CHAINER_KERNEL_FUNCTION(sinh);
CHAINER_KERNEL_FUNCTION(cosh);
CHAINER_KERNEL_FUNCTION(tanh);
CHAINER_KERNEL_FUNCTION(erf);

/// Returns 1 / (1 + exp(-x)).
template <class T>
auto sigmoid(T x) {
  const auto e = exp(-x);
  return 1 / (1 + e);
}

}  // namespace chainer::kernel

#undef CHAINER_KERNEL_FUNCTION
#undef CHAINER_VECTOR_FUNCTION
