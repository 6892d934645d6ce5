// SPDX-License-Identifier: MIT
// Conversions between stored dtypes and compute types. Compiled once per instruction set.
#include <cstring>

#include "chainer/array/half.h"
#include "chainer/backend/cpu/kernels/fill.h"

namespace {

// Local versions of the 16-bit types, so that no code compiled for one instruction set is shared with another.
struct Half {
  uint16_t bits;
};
struct BHalf {
  uint16_t bits;
};
struct Mask {
  uint8_t bits;
};

template <class To, class From>
[[gnu::always_inline]] inline To convert(From v) {
  if constexpr (__is_same(From, Half)) {
    return convert<To>(chainer::detail::half_to_float(v.bits));
  } else if constexpr (__is_same(From, BHalf)) {
    return convert<To>(chainer::detail::bfloat_to_float(v.bits));
  } else if constexpr (__is_same(From, Mask)) {
    return convert<To>(int64_t(v.bits != 0));
  } else if constexpr (__is_same(To, Half)) {
    return {chainer::detail::float_to_half(static_cast<float>(v))};
  } else if constexpr (__is_same(To, BHalf)) {
    return {chainer::detail::float_to_bfloat(static_cast<float>(v))};
  } else if constexpr (__is_same(To, Mask)) {
    return {static_cast<uint8_t>(v != From(0))};
  } else if constexpr (From(0.5) != From(0) && To(0.5) == To(0)) {
    return static_cast<To>(static_cast<int64_t>(v));  // floating to integer wraps as in NumPy on x86
  } else {
    return static_cast<To>(v);
  }
}

template <class C, class S>
void load(void* block, const void* from, int64_t stride, int64_t n) {
  C* o = static_cast<C*>(block);
  const S* s = static_cast<const S*>(from);
  if (stride == 1) {
    if constexpr (__is_same(C, S) && !__is_same(C, Mask)) {
      std::memcpy(o, s, static_cast<size_t>(n) * sizeof(C));
    } else {
      for (int64_t i = 0; i < n; ++i) o[i] = convert<C>(s[i]);
    }
  } else if (stride == 0) {
    const C v = convert<C>(s[0]);
    for (int64_t i = 0; i < n; ++i) o[i] = v;
  } else if (stride == -1) {
    for (int64_t i = 0; i < n; ++i) o[i] = convert<C>(s[-i]);
  } else if (stride == 2) {
    for (int64_t i = 0; i < n; ++i) o[i] = convert<C>(s[2 * i]);
  } else {
    for (int64_t i = 0; i < n; ++i) o[i] = convert<C>(s[i * stride]);
  }
}
template <class C, class S>
void store(void* to, int64_t stride, const void* block, int64_t n) {
  S* o = static_cast<S*>(to);
  const C* b = static_cast<const C*>(block);
  if (stride == 1) {
    if constexpr (__is_same(C, S)) {
      std::memcpy(o, b, static_cast<size_t>(n) * sizeof(C));
    } else {
      for (int64_t i = 0; i < n; ++i) o[i] = convert<S>(b[i]);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) o[i * stride] = convert<S>(b[i]);
  }
}

template <class C>
void fill_compute(chainer::cpu::Kernels& k, int c) {
  using chainer::cpu::LoadKernel, chainer::cpu::StoreKernel;
  // In the order of Dtype.
  const LoadKernel loads[] = {load<C, Mask>,    load<C, int8_t>, load<C, int16_t>, load<C, int32_t>, load<C, int64_t>,
                              load<C, uint8_t>, load<C, Half>,   load<C, float>,   load<C, double>,  load<C, BHalf>};
  const StoreKernel stores[] = {store<C, Mask>,    store<C, int8_t>,  store<C, int16_t>, store<C, int32_t>,
                                store<C, int64_t>, store<C, uint8_t>, store<C, Half>,    store<C, float>,
                                store<C, double>,  store<C, BHalf>};
  for (int d = 0; d < 10; ++d) k.load[c][d] = loads[d], k.store[c][d] = stores[d];
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_convert(Kernels& k) {
  fill_compute<float>(k, kF32);
  fill_compute<double>(k, kF64);
  fill_compute<int64_t>(k, kI64);
  fill_compute<Mask>(k, kMask);
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
