// The lists of elementwise operations as device functions: an operation costs this backend no line.
#pragma once
#include "chainer/backend/cuda/kernels/special.h"

#ifdef __CUDACC__
#define CHAINER_FORMULA __device__ __forceinline__
#endif
#include "chainer/backend/common/float_special.h"

namespace {
namespace m {

// Of float32 the host's polynomials; of float64 the device's functions.
#define CHAINER_SPECIAL(NAME) \
  using float_special::NAME;  \
  CHAINER_FORMULA double NAME(double x) { return chainer::cuda::special::NAME(x); }
CHAINER_SPECIAL(digamma)
CHAINER_SPECIAL(erfcinv)
CHAINER_SPECIAL(erfcx)
CHAINER_SPECIAL(erfinv)
CHAINER_SPECIAL(lgamma)
CHAINER_SPECIAL(log_ndtr)
CHAINER_SPECIAL(ndtr)
CHAINER_SPECIAL(ndtri)
CHAINER_SPECIAL(trigamma)
#undef CHAINER_SPECIAL
CHAINER_FORMULA double polygamma(double n, double x) { return chainer::cuda::special::polygamma(n, x); }
CHAINER_FORMULA float polygamma(float n, float x) {
  return static_cast<float>(polygamma(static_cast<double>(n), static_cast<double>(x)));
}
template <class T>
CHAINER_FORMULA bool isfinite(T x) {
  return x - x == T(0);
}
template <class T>
CHAINER_FORMULA bool isinf(T x) {
  return x == x && !(x - x == T(0));
}

}  // namespace m
}  // namespace

#include "chainer/array/operations/elementwise_ops.h"

namespace chainer::cuda {

/// As chainer::Elementwise.
enum class Operation : uint8_t {
#define X(NAME, ...) NAME,
  CHAINER_UNARY_OPS(X) CHAINER_BINARY_OPS(X) CHAINER_COMPARE_OPS(X) CHAINER_TEST_OPS(X) CHAINER_TERNARY_OPS(X)
#undef X
      where
};

/// Which types an operation is computed in, in the words of the lists.
struct Words {
  static constexpr bool any = true, floating = false, special = false;
};
/// Whether a type has fractions.
template <class T>
inline constexpr bool is_fractional = T(0.5) != T(0);

// A struct for each operation: apply(a, b, c), of which it takes as many as it has operands.
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
