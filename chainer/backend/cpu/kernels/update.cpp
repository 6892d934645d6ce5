// SPDX-License-Identifier: MIT
// The optimizers' fused update steps, generated from the list. Compiled once per instruction set.
#include "chainer/backend/common/formula_math.h"

#include "chainer/array/operations/updates.h"
#include "chainer/backend/cpu/kernels/fill.h"

namespace {

#define X(NAME, STATES, ...)                                                                               \
  template <class T>                                                                                       \
  void NAME(void* w_, const void* g_, void* s0_, void* s1_, void* s2_, const double* hyper, int64_t n) {   \
    T* pw = static_cast<T*>(w_);                                                                           \
    const T* pg = static_cast<const T*>(g_);                                                               \
    [[maybe_unused]] T *p0 = static_cast<T*>(s0_), *p1 = static_cast<T*>(s1_), *p2 = static_cast<T*>(s2_); \
    const T h[6] = {T(hyper[0]), T(hyper[1]), T(hyper[2]), T(hyper[3]), T(hyper[4]), T(hyper[5])};         \
    CHAINER_IVDEP for (int64_t i = 0; i < n; ++i) {                                                        \
      T w = pw[i];                                                                                         \
      const T g = pg[i];                                                                                   \
      [[maybe_unused]] T s0 = 0, s1 = 0, s2 = 0;                                                           \
      if constexpr (STATES > 0) s0 = p0[i];                                                                \
      if constexpr (STATES > 1) s1 = p1[i];                                                                \
      if constexpr (STATES > 2) s2 = p2[i];                                                                \
      __VA_ARGS__                                                                                          \
      pw[i] = w;                                                                                           \
      if constexpr (STATES > 0) p0[i] = s0;                                                                \
      if constexpr (STATES > 1) p1[i] = s1;                                                                \
      if constexpr (STATES > 2) p2[i] = s2;                                                                \
    }                                                                                                      \
  }
CHAINER_UPDATE_OPS(X)
#undef X

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_update(Kernels& k) {
#define X(NAME, ...)                                              \
  k.update[kF32][static_cast<int>(Update::NAME)] = ::NAME<float>; \
  k.update[kF64][static_cast<int>(Update::NAME)] = ::NAME<double>;
  CHAINER_UPDATE_OPS(X)
#undef X
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
