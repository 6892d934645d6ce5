// SPDX-License-Identifier: MIT
// The vector functions of the C library that the kernels call, for modules that must load with any glibc from 2.28 on:
// each is a jump to glibc's function if libmvec has it (some since 2.22, all since 2.35), otherwise to a loop over the
// project's own function (which CHAINER_LIBMVEC=0 chooses). The names are those of the x86-64 vector function ABI: b, d
// and e are SSE, AVX2 and AVX-512, v and vv one and two arguments.
#define CHAINER_OWN_VECTORS
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "chainer/backend/common/formula_basic.h"

namespace {

template <class T, int N>
struct Lanes {
  typedef T Vector __attribute__((vector_size(N * sizeof(T))));
};

}  // namespace

#define CHAINER_SSE
#define CHAINER_AVX2 __attribute__((target("avx2")))
#define CHAINER_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")))

// The jump named SYMBOL; its target is the variable to_SYMBOL.
#define CHAINER_JUMP(SYMBOL, OWN)                                                                                      \
  extern "C" {                                                                                                         \
  __attribute__((visibility("hidden"), used)) void* to_##SYMBOL = reinterpret_cast<void*>(&OWN);                       \
  }                                                                                                                    \
  asm(".pushsection .text\n.globl " #SYMBOL "\n.hidden " #SYMBOL "\n.type " #SYMBOL ",@function\n.p2align 4\n" #SYMBOL \
      ":\njmp *to_" #SYMBOL "(%rip)\n.size " #SYMBOL ",.-" #SYMBOL "\n.popsection");
#define CHAINER_ONE(TARGET, T, N, SYMBOL, NAME)                          \
  namespace {                                                            \
  TARGET Lanes<T, N>::Vector own_##SYMBOL(const Lanes<T, N>::Vector x) { \
    T values[N];                                                         \
    std::memcpy(values, &x, sizeof x);                                   \
    for (int i = 0; i < N; ++i) values[i] = m::NAME(values[i]);          \
    Lanes<T, N>::Vector y;                                               \
    std::memcpy(&y, values, sizeof y);                                   \
    return y;                                                            \
  }                                                                      \
  }                                                                      \
  CHAINER_JUMP(SYMBOL, own_##SYMBOL)
#define CHAINER_TWO(TARGET, T, N, SYMBOL, NAME)                                                       \
  namespace {                                                                                         \
  TARGET Lanes<T, N>::Vector own_##SYMBOL(const Lanes<T, N>::Vector a, const Lanes<T, N>::Vector b) { \
    Lanes<T, N>::Vector y = a;                                                                        \
    for (int i = 0; i < N; ++i) y[i] = m::NAME(a[i], b[i]);                                           \
    return y;                                                                                         \
  }                                                                                                   \
  }                                                                                                   \
  CHAINER_JUMP(SYMBOL, own_##SYMBOL)

#define CHAINER_EVERY_WIDTH(F, V, NAME)                       \
  F(CHAINER_SSE, float, 4, _ZGVbN4##V##_##NAME##f, NAME)      \
  F(CHAINER_SSE, double, 2, _ZGVbN2##V##_##NAME, NAME)        \
  F(CHAINER_AVX2, float, 8, _ZGVdN8##V##_##NAME##f, NAME)     \
  F(CHAINER_AVX2, double, 4, _ZGVdN4##V##_##NAME, NAME)       \
  F(CHAINER_AVX512, float, 16, _ZGVeN16##V##_##NAME##f, NAME) \
  F(CHAINER_AVX512, double, 8, _ZGVeN8##V##_##NAME, NAME)
#define CHAINER_EVERY_FUNCTION(ONE, TWO) \
  CHAINER_EVERY_WIDTH(ONE, v, exp)       \
  CHAINER_EVERY_WIDTH(ONE, v, expm1)     \
  CHAINER_EVERY_WIDTH(ONE, v, log)       \
  CHAINER_EVERY_WIDTH(ONE, v, log2)      \
  CHAINER_EVERY_WIDTH(ONE, v, log10)     \
  CHAINER_EVERY_WIDTH(ONE, v, log1p)     \
  CHAINER_EVERY_WIDTH(ONE, v, sin)       \
  CHAINER_EVERY_WIDTH(ONE, v, cos)       \
  CHAINER_EVERY_WIDTH(ONE, v, tan)       \
  CHAINER_EVERY_WIDTH(ONE, v, asin)      \
  CHAINER_EVERY_WIDTH(ONE, v, acos)      \
  CHAINER_EVERY_WIDTH(ONE, v, atan)      \
  CHAINER_EVERY_WIDTH(ONE, v, sinh)      \
  CHAINER_EVERY_WIDTH(ONE, v, cosh)      \
  CHAINER_EVERY_WIDTH(ONE, v, tanh)      \
  CHAINER_EVERY_WIDTH(ONE, v, erf)       \
  CHAINER_EVERY_WIDTH(ONE, v, erfc)      \
  CHAINER_EVERY_WIDTH(TWO, vv, atan2)

CHAINER_EVERY_FUNCTION(CHAINER_ONE, CHAINER_TWO)

namespace {

// Before the initializers of other objects, which may compute.
__attribute__((constructor(101))) void find_vector_functions() {
  const char* const wanted = std::getenv("CHAINER_LIBMVEC");
  void* const library = wanted && *wanted == '0' ? nullptr : dlopen("libmvec.so.1", RTLD_NOW);
  if (!library) return;
#define CHAINER_FIND(TARGET, T, N, SYMBOL, NAME) \
  if (void* const found = dlsym(library, #SYMBOL)) to_##SYMBOL = found;
  CHAINER_EVERY_FUNCTION(CHAINER_FIND, CHAINER_FIND)
#undef CHAINER_FIND
}

}  // namespace
