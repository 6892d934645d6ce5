// The functions m::... of the lists' formulas (array/operations/elementwise_ops.h), written so that loops over them
// vectorise. Included by backends that make loops of the lists, before any other header. The host's kernels are
// compiled for several instruction sets: everything here must stay in the anonymous namespace.
#pragma once
#include "chainer/backend/common/float_special.h"
#include "chainer/backend/common/formula_basic.h"
#include "chainer/backend/common/special.h"

namespace {
namespace m {
// Special functions of double numbers are computed outside of the kernels.
#define CHAINER_SPECIAL(NAME) \
  using float_special::NAME;  \
  inline double NAME(double x) { return chainer::special::NAME(x); }
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
inline double polygamma(double n, double x) { return chainer::special::polygamma(n, x); }
inline float polygamma(float n, float x) {
  return static_cast<float>(polygamma(static_cast<double>(n), static_cast<double>(x)));
}
template <class T>
inline bool isfinite(T x) {
  return x - x == T(0);
}
template <class T>
inline bool isinf(T x) {
  return x == x && !(x - x == T(0));
}

}  // namespace m
}  // namespace
