// SPDX-License-Identifier: MIT
// The lists of elementwise operations as device functions, generated for every operation.
#pragma once
#include "chainer/backend/cuda/kernels/special.h"

#ifdef __CUDACC__
#define CHAINER_FORMULA __device__ __forceinline__
#endif
// The host's polynomials for float32, the device's functions for float64.
#define CHAINER_DOUBLE_SPECIAL chainer::cuda::special
#include "chainer/backend/common/formula_math.h"

#include "chainer/array/operations/elementwise_ops.h"

namespace chainer::cuda {

/// The same values as chainer::Elementwise.
enum class Operation : uint8_t {
#define X(NAME, ...) NAME,
  CHAINER_BINARY_OPS(X) CHAINER_COMPARE_OPS(X) CHAINER_TEST_OPS(X) CHAINER_TERNARY_OPS(X) where,
  CHAINER_UNARY_OPS(X)
#undef X
};

/// The categories of the lists: true if an operation supports int64.
struct Words {
  static constexpr bool any = true, floating = false, special = false;
};
/// True for floating-point types.
template <class T>
inline constexpr bool is_fractional = T(0.5) != T(0);

// A struct for each operation, with apply(a, b, c), which uses as many arguments as the operation has operands.
#define OPERATION(NAME, COST, OF_INTEGERS, PARAMETERS, ...)      \
  struct NAME##_op {                                             \
    static constexpr int cost = COST;                            \
    template <class T>                                           \
    static constexpr bool has = OF_INTEGERS || is_fractional<T>; \
    template <class T>                                           \
    static DEVICE T apply PARAMETERS {                           \
      return static_cast<T>(__VA_ARGS__);                        \
    }                                                            \
  };
#define X(NAME, CATEGORY, COST, ...) OPERATION(NAME, COST, Words::CATEGORY, (T x, T, T), __VA_ARGS__)
CHAINER_UNARY_OPS(X)
#undef X
#define X(NAME, CATEGORY, COST, ...) OPERATION(NAME, COST, Words::CATEGORY, (T a, T b, T), __VA_ARGS__)
CHAINER_BINARY_OPS(X)
#undef X
#define X(NAME, CATEGORY, COST, ...) OPERATION(NAME, COST, Words::CATEGORY, (T a, T b, T c), __VA_ARGS__)
CHAINER_TERNARY_OPS(X)
#undef X
#define X(NAME, COST, ...) OPERATION(NAME, COST, true, (T a, T b, T), __VA_ARGS__)
CHAINER_COMPARE_OPS(X)
#undef X
#define X(NAME, COST, ...) OPERATION(NAME, COST, true, (T a, T, T), __VA_ARGS__)
CHAINER_TEST_OPS(X)
#undef X
OPERATION(where, 1, true, (T a, T b, T c), a != T(0) ? b : c)
#undef OPERATION

}  // namespace chainer::cuda
