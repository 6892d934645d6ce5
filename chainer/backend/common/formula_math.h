// SPDX-License-Identifier: MIT
// The functions m::... used by the formulas of the lists (array/operations/elementwise_ops.h), written so that loops
// over them vectorise, for the host and for CUDA devices. Included before any other header by backends that generate
// loops from the lists. The host's kernels are compiled for several instruction sets: everything here must stay in the
// anonymous namespace.
#pragma once
#include "chainer/backend/common/float_special.h"
#include "chainer/backend/common/formula_basic.h"

// Where special functions of double numbers are computed, outside of the kernels. A backend with functions of its own
// says so before it includes this.
#ifndef CHAINER_DOUBLE_SPECIAL
#include "chainer/backend/common/special.h"
#define CHAINER_DOUBLE_SPECIAL chainer::special
#endif

namespace {
namespace m {
// Special functions of double numbers are computed by functions outside of the kernels.
#define CHAINER_SPECIAL(NAME) \
  using float_special::NAME;  \
  CHAINER_FORMULA double NAME(double x) { return CHAINER_DOUBLE_SPECIAL::NAME(x); }
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
CHAINER_FORMULA double polygamma(double n, double x) { return CHAINER_DOUBLE_SPECIAL::polygamma(n, x); }
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
