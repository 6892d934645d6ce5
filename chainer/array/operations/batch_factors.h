// SPDX-License-Identifier: MIT
// The factors of batch normalization.
#pragma once
#include "chainer/array/array.h"

namespace chainer {

/// For each key of x (outer, keys, inner), contiguous float32 or float64 (on the host also of 16 bits): the mean over
/// outer and inner, rstd = 1 / sqrt(variance + eps), both float64, and scale = gamma rstd, in the dtype that x is
/// computed in. Running statistics, if given, become decay r + (1 - decay) v for the mean and the unbiased variance.
struct BatchFactors {
  Array x, gamma;  ///< gamma (keys)
  double eps, decay;
  Array running_mean, running_var;  ///< written, of keys elements; empty if there are none
  Array average, rstd, scale;       ///< (keys), contiguous
};

}  // namespace chainer
