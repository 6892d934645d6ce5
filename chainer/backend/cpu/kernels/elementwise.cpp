// SPDX-License-Identifier: MIT
// Kernels of the elementwise operations, generated from the lists. Compiled once per instruction set.
#include "chainer/backend/common/formula_math.h"

#include <type_traits>

#include "chainer/array/operations/ops.h"
#include "chainer/backend/cpu/kernels/fill.h"

namespace {

// The category of a row determines for which types the formula is instantiated.
constexpr int any = 2, floating = 1, special = 0;

#define X(NAME, CATEGORY, COST, ...)          \
  struct NAME##_op {                          \
    static constexpr int category = CATEGORY; \
    template <class T>                        \
    static inline T apply(T x) {              \
      return static_cast<T>(__VA_ARGS__);     \
    }                                         \
  };
CHAINER_UNARY_OPS(X)
#undef X
#define X(NAME, CATEGORY, COST, ...)          \
  struct NAME##_op {                          \
    static constexpr int category = CATEGORY; \
    template <class T>                        \
    static inline T apply(T a, T b) {         \
      return static_cast<T>(__VA_ARGS__);     \
    }                                         \
  };
CHAINER_BINARY_OPS(X)
#undef X
#define X(NAME, COST, ...)                                \
  struct NAME##_op {                                      \
    template <class T>                                    \
    static inline bool apply(T a, [[maybe_unused]] T b) { \
      return __VA_ARGS__;                                 \
    }                                                     \
  };
CHAINER_COMPARE_OPS(X)
CHAINER_TEST_OPS(X)
#undef X
#define X(NAME, CATEGORY, COST, ...)          \
  struct NAME##_op {                          \
    static constexpr int category = CATEGORY; \
    template <class T>                        \
    static inline T apply(T a, T b, T c) {    \
      return static_cast<T>(__VA_ARGS__);     \
    }                                         \
  };
CHAINER_TERNARY_OPS(X)
#undef X

#define CHAINER_LOOP CHAINER_IVDEP for (int64_t i = 0; i < n; ++i)

// Returns true for functions whose vector and scalar versions round differently.
template <class T, class Op>
constexpr bool approximate() {
  return T(0.5) != T(0) && (Op::category == floating || std::is_same_v<Op, power_op> ||
                            (std::is_same_v<T, float> && Op::category == special && !std::is_same_v<Op, polygamma_op>));
}
// Calls loop(out, a, b, n) so that every element is computed by full vectors; the remainder is padded in a copy. The
// result of an element thus does not depend on its position.
template <class T, class Loop>
void in_full_vectors(Loop loop, T* o, const T* a, const T* b, int64_t n) {
  constexpr int64_t kWidth = 64 / sizeof(T);
  const int64_t whole = n / kWidth * kWidth, rest = n - whole;
  if (whole) loop(o, a, b, whole);
  if (!rest) return;
  T in[2][kWidth], out[kWidth];
  for (int64_t i = 0; i < kWidth; ++i) {
    in[0][i] = a[whole + (i < rest ? i : 0)];
    in[1][i] = b ? b[whole + (i < rest ? i : 0)] : T(0);
  }
  loop(out, in[0], in[1], kWidth);
  for (int64_t i = 0; i < rest; ++i) o[whole + i] = out[i];
}

// Returns n, of which the compiler then knows that it is a multiple of a vector's elements if in_full_vectors() is the
// caller: it generates no loops for remainders.
template <class T, class Op>
constexpr int64_t as_multiple(int64_t n) {
  return approximate<T, Op>() ? n & -static_cast<int64_t>(64 / sizeof(T)) : n;
}

template <class T, class Op>
[[gnu::noinline]] void unary_loop(T* o, const T* x, const T*, int64_t n) {
  n = as_multiple<T, Op>(n);
  CHAINER_LOOP o[i] = Op::template apply<T>(x[i]);
}
template <class T, class Op>
void unary(void* o, const void* x, const void*, const void*, int64_t n) {
  if constexpr (approximate<T, Op>())
    in_full_vectors<T>(unary_loop<T, Op>, static_cast<T*>(o), static_cast<const T*>(x), nullptr, n);
  else
    unary_loop<T, Op>(static_cast<T*>(o), static_cast<const T*>(x), nullptr, n);
}
template <class T, class Op>
[[gnu::noinline]] void binary_loop(T* o, const T* a, const T* b, int64_t n) {
  n = as_multiple<T, Op>(n);
  CHAINER_LOOP o[i] = Op::template apply<T>(a[i], b[i]);
}
// Remainders, vectorised for moderate quotients; the others one by one.
void fmod_floats(void* o_, const void* a_, const void* b_, const void*, int64_t n) {
  constexpr int64_t kRun = 256;
  float* o = static_cast<float*>(o_);
  const float *a = static_cast<const float*>(a_), *b = static_cast<const float*>(b_);
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t count = n - begin < kRun ? n - begin : kRun;
    float near[kRun];
    int left = 0;
#pragma omp simd reduction(| : left)
    for (int64_t i = 0; i < count; ++i) {
      near[i] = m::fmod_of_near(a[begin + i], b[begin + i]);
      left |= near[i] != near[i];
    }
    for (int64_t i = 0; left && i < count; ++i)
      if (near[i] != near[i]) near[i] = m::fmod(a[begin + i], b[begin + i]);
    for (int64_t i = 0; i < count; ++i) o[begin + i] = near[i];
  }
}
template <class T, class Op>
void binary(void* o, const void* a, const void* b, const void*, int64_t n) {
  if constexpr (approximate<T, Op>())
    in_full_vectors<T>(binary_loop<T, Op>, static_cast<T*>(o), static_cast<const T*>(a), static_cast<const T*>(b), n);
  else
    binary_loop<T, Op>(static_cast<T*>(o), static_cast<const T*>(a), static_cast<const T*>(b), n);
}
template <class T, class Op>
void compare(void* o_, const void* a_, const void* b_, const void*, int64_t n) {
  uint8_t* o = static_cast<uint8_t*>(o_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  CHAINER_LOOP o[i] = Op::template apply<T>(a[i], b[i]);
}
template <class T, class Op>
void compare_one(void* o_, const void* a_, const void*, const void*, int64_t n) {
  uint8_t* o = static_cast<uint8_t*>(o_);
  const T* a = static_cast<const T*>(a_);
  CHAINER_LOOP o[i] = Op::template apply<T>(a[i], T(0));
}
template <class T, class Op>
void ternary(void* o_, const void* a_, const void* b_, const void* c_, int64_t n) {
  T* o = static_cast<T*>(o_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_), *c = static_cast<const T*>(c_);
  CHAINER_LOOP o[i] = Op::template apply<T>(a[i], b[i], c[i]);
}
template <class T>
void select(void* o_, const void* c_, const void* a_, const void* b_, int64_t n) {
  T* o = static_cast<T*>(o_);
  const uint8_t* c = static_cast<const uint8_t*>(c_);
  const T *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  CHAINER_LOOP o[i] = c[i] ? a[i] : b[i];
}

template <class T, class Op>
constexpr bool has() {
  return Op::category == any || T(0.5) != T(0);
}

template <class T>
void fill_type(chainer::cpu::ElementKernel* table) {
  using chainer::Elementwise;
  static_assert(static_cast<int>(Elementwise::count) <= chainer::cpu::kMostElementwise);
  auto at = [&](Elementwise op) -> chainer::cpu::ElementKernel& { return table[static_cast<int>(op)]; };
#define X(NAME, ...) \
  if constexpr (has<T, NAME##_op>()) at(Elementwise::NAME) = unary<T, NAME##_op>;
  CHAINER_UNARY_OPS(X)
#undef X
#define X(NAME, ...) \
  if constexpr (has<T, NAME##_op>()) at(Elementwise::NAME) = binary<T, NAME##_op>;
  CHAINER_BINARY_OPS(X)
#undef X
  if constexpr (std::is_same_v<T, float>) at(Elementwise::fmod) = fmod_floats;
#define X(NAME, ...) at(Elementwise::NAME) = compare<T, NAME##_op>;
  CHAINER_COMPARE_OPS(X)
#undef X
#define X(NAME, ...) at(Elementwise::NAME) = compare_one<T, NAME##_op>;
  CHAINER_TEST_OPS(X)
#undef X
#define X(NAME, ...) \
  if constexpr (has<T, NAME##_op>()) at(Elementwise::NAME) = ternary<T, NAME##_op>;
  CHAINER_TERNARY_OPS(X)
#undef X
  at(Elementwise::where) = select<T>;
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_elementwise(Kernels& k) {
  fill_type<float>(k.elementwise[kF32]);
  fill_type<double>(k.elementwise[kF64]);
  fill_type<int64_t>(k.elementwise[kI64]);
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
