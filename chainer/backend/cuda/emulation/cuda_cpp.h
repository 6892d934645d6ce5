// SPDX-License-Identifier: MIT
// CUDA C++ for kernels that users write as text, compiled by the host's compiler to a library of its own. The library
// calls the emulation by a table that it receives when it is opened, since programs may hide their symbols.
#pragma once
#include <math.h>
#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "chainer/backend/cuda/emulation/text_table.h"

namespace chainer::cuda::emulation {

static const TextTable* table_of_text = nullptr;

// The functions of emulation.h, for this library.
void block_barrier(int line) { table_of_text->block_barrier(line); }
uint64_t warp_meeting(WarpOp op, uint32_t mask, uint64_t value, int source, int line) {
  return table_of_text->warp_meeting(op, mask, value, source, line);
}
int lane() { return table_of_text->lane(); }

// Parameters are one after another, each aligned to its size, as the driver of a real device takes them.
template <class... P>
struct Parameters {
  static constexpr std::size_t kCount = sizeof...(P);
  struct Places {
    std::size_t at[kCount + 1] = {}, end = 0;
  };
  static constexpr Places places() {
    Places p;
    std::size_t k = 0;
    ((p.at[k] = (p.end + alignof(P) - 1) / alignof(P) * alignof(P), p.end = p.at[k++] + sizeof(P)), ...);
    return p;
  }
  template <std::size_t... I>
  static void call(void (*kernel)(P...), const char* args, std::index_sequence<I...>) {
    constexpr Places p = places();
    kernel(*reinterpret_cast<const std::remove_cv_t<P>*>(args + p.at[I])...);
  }
};
template <class... P>
void introduce(const TextTable* table, void (*kernel)(P...), TextKernel* out) {
  table_of_text = table;
  out->kernel = reinterpret_cast<void (*)()>(kernel);
  out->entry = [](void (*k)(), const void* args) {
    Parameters<P...>::call(reinterpret_cast<void (*)(P...)>(k), static_cast<const char*>(args),
                           std::make_index_sequence<sizeof...(P)>());
  };
  out->bytes = Parameters<P...>::places().end;
}

}  // namespace chainer::cuda::emulation

#define TEXT_KERNEL(NAME)                                                                                \
  extern "C" [[gnu::visibility("default")]] void chainer_text_kernel(                                    \
      const ::chainer::cuda::emulation::TextTable* table, ::chainer::cuda::emulation::TextKernel* out) { \
    ::chainer::cuda::emulation::introduce(table, NAME, out);                                             \
  }

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#define threadIdx (::chainer::cuda::emulation::table_of_text->place()->thread)
#define blockIdx (::chainer::cuda::emulation::table_of_text->place()->block)
#define blockDim (::chainer::cuda::emulation::table_of_text->place()->block_dim)
#define gridDim (::chainer::cuda::emulation::table_of_text->place()->grid_dim)
#define warpSize 32
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __constant__ static const
#define __align__(N) __attribute__((aligned(N)))
// Blocks run one after another on one thread of the host. (The compiler's driver replaces `extern __shared__`.)
#define __shared__ static thread_local

using dim3 = ::chainer::cuda::Dim3;

template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
inline float rsqrt(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrtf(float x) { return rsqrt(x); }
inline float rcbrt(float x) { return 1 / cbrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float normcdf(float x) { return erfcf(-x * 0.70710678f) / 2; }
inline double normcdf(double x) { return erfc(-x * 0.70710678118654752440) / 2; }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1.f : 0.f; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
template <class T>
T __ldg(const T* p) {
  return *p;
}
inline void __threadfence() {}
inline void __threadfence_block() {}

// Threads run in turns, so that a read and a write are not interrupted.
template <class T, class F>
T exchanged(T* at, F&& next) {
  const T old = *at;
  *at = next(old);
  return old;
}
template <class T>
T atomicSub(T* at, std::type_identity_t<T> v) {
  return exchanged(at, [v](T x) { return x - v; });
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
  return exchanged(at, [=](T x) { return x == expected ? v : x; });
}
template <class T>
T atomicAnd(T* at, std::type_identity_t<T> v) {
  return exchanged(at, [v](T x) { return x & v; });
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> v) {
  return exchanged(at, [v](T x) { return x | v; });
}
template <class T>
T atomicXor(T* at, std::type_identity_t<T> v) {
  return exchanged(at, [v](T x) { return x ^ v; });
}
