// SPDX-License-Identifier: MIT
// The functions used by sources of compiled programs (backend/cuda/program_source.h): the instructions of a program in
// sequence, with the same results as the kernel `program`, which interprets them.
#pragma once
#include "chainer/backend/cuda/kernels/formulas.h"
#include "chainer/backend/cuda/kernels/program.h"

namespace chainer::cuda {

/// The elements of one thread, at distance blockDim.x. Elements beyond the end are read as the last one and not
/// written. `axes` is the number of axes of the space if there are operands with strides, else 0.
template <int each, int axes>
struct Elements {
  uint32_t at[each], place[each][axes ? axes : 1];
  bool inside[each];
  template <class Space>
  DEVICE Elements(const Space& space, uint32_t first) {
    UNROLL for (int e = 0; e < each; ++e) {
      const uint32_t i = first + e * blockDim.x;
      inside[e] = i < space.size, at[e] = inside[e] ? i : space.size - 1;
      uint32_t rest = at[e];
      UNROLL for (int d = 0; d < axes; ++d) {
        const uint32_t q = d + 1 < axes ? space.extent[d].quotient(rest) : 0;
        place[e][d] = rest - q * space.extent[d].divisor;
        rest = q;
      }
    }
  }
};

/// The layout of an operand: consecutive elements, a single element, strides below 2^31 bytes, or any strides.
enum class Walk : uint8_t { dense, single, near, any };

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
  template <class T, int axes>
  DEVICE T get(const Elements<each, axes>&, int e) const {
    return load<T>(value[e].memory, type);
  }
  template <class T, int axes>
  DEVICE void put(const Elements<each, axes>&, int e, T x) {
    store(value[e].memory, type, x);
  }
};

/// An operand in memory.
template <class Operand, Type type, Walk walk, int each>
struct Memory {
  const Operand& o;
  template <int axes>
  DEVICE char* address(const Elements<each, axes>& i, int e) const {
    if constexpr (walk == Walk::single) return o.data;
    if constexpr (walk == Walk::dense) return o.data + int64_t(i.at[e]) * Stored<type>::bytes;
    int64_t at = 0;
    UNROLL for (int d = 0; d < axes; ++d) at +=
        walk == Walk::near ? int64_t(static_cast<int>(i.place[e][d])) * static_cast<int>(o.stride[d])
                           : int64_t(i.place[e][d]) * o.stride[d];
    return o.data + at;
  }
  template <class T, int axes>
  DEVICE T get(const Elements<each, axes>& i, int e) const {
    return load<T>(address(i, e), type);
  }
  template <class T, int axes>
  DEVICE void put(const Elements<each, axes>& i, int e, T x) {
    if (i.inside[e]) store(address(i, e), type, x);
  }
};

/// An instruction: out = Op(in...), computed in T.
template <class Op, class T, int each, int axes, class Out, class... In>
DEVICE void compute(const Elements<each, axes>& i, Out& out, const In&... in) {
  T result[each];
  UNROLL for (int e = 0; e < each; ++e) {
    const T x[3] = {in.template get<T>(i, e)...};
    result[e] = Op::template apply<T>(x[0], x[1], x[2]);
  }
  UNROLL for (int e = 0; e < each; ++e) out.template put<T>(i, e, result[e]);
}

}  // namespace chainer::cuda
