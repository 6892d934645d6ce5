// SPDX-License-Identifier: MIT
// The functions used by sources of compiled programs (backend/cuda/program_source.h): the instructions of a program in
// sequence, with the same results as the kernel `program`, which interprets them.
#pragma once
#include "chainer/backend/cuda/kernels/formulas.h"
#include "chainer/backend/cuda/kernels/program.h"

namespace chainer::cuda {

/// The elements of one thread, at distance blockDim.x. Elements beyond the end are read as the last one and not
/// written.
template <int each>
struct Elements {
  uint32_t at[each];
  bool inside[each];
  DEVICE Elements(uint32_t first, uint32_t size) {
    UNROLL for (int e = 0; e < each; ++e) {
      const uint32_t i = first + e * blockDim.x;
      inside[e] = i < size, at[e] = inside[e] ? i : size - 1;
    }
  }
};

/// The layout of an operand: consecutive elements, a single element, or any strides.
enum class Walk : uint8_t { dense, single, any };

// The size of an element, for load() and store().
template <Type type>
struct Stored {
  static constexpr int bytes = type == Type::float64 || type == Type::int64                             ? 8
                               : type == Type::float32 || type == Type::int32                           ? 4
                               : type == Type::float16 || type == Type::bfloat16 || type == Type::int16 ? 2
                                                                                                        : 1;
  alignas(bytes) char memory[bytes];
};

/// A value between two instructions, stored in its own type.
template <Type type, int each>
struct Register {
  Stored<type> value[each];
  template <class T>
  DEVICE T get(const Elements<each>&, int e) const {
    return load<T>(value[e].memory, type);
  }
  template <class T>
  DEVICE void put(const Elements<each>&, int e, T x) {
    store(value[e].memory, type, x);
  }
};

/// An operand in memory.
template <Type type, Walk walk, int each>
struct Memory {
  const ProgramArgs& a;
  const int number;
  DEVICE char* address(uint32_t i) const {
    char* const data = a.operands[number].data;
    if constexpr (walk == Walk::single) return data;
    if constexpr (walk == Walk::dense) return data + int64_t(i) * Stored<type>::bytes;
    return data + offset(a.space, a.operands[number], i);
  }
  template <class T>
  DEVICE T get(const Elements<each>& i, int e) const {
    return load<T>(address(i.at[e]), type);
  }
  template <class T>
  DEVICE void put(const Elements<each>& i, int e, T x) {
    if (i.inside[e]) store(address(i.at[e]), type, x);
  }
};

/// An instruction: out = Op(in...), computed in T.
template <class Op, class T, int each, class Out, class... In>
DEVICE void compute(const Elements<each>& i, Out& out, const In&... in) {
  T result[each];
  UNROLL for (int e = 0; e < each; ++e) {
    const T x[3] = {in.template get<T>(i, e)...};
    result[e] = Op::template apply<T>(x[0], x[1], x[2]);
  }
  UNROLL for (int e = 0; e < each; ++e) out.template put<T>(i, e, result[e]);
}

}  // namespace chainer::cuda
