// SPDX-License-Identifier: MIT
// Shared by batch normalization and batch renormalization.
#pragma once
#include <optional>

#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// The limits of batch renormalization's correction.
struct Renormalization {
  double rmax, dmax;
};
struct NormalizeBatchOptions {
  double eps;
  Array running_mean, running_var;
  double decay;
  bool update;  ///< updates the running statistics
  Dims averaged;
  std::optional<Renormalization> renormalization = {};
};
/// Computes gamma (x - mean) / sqrt(var + eps) + beta with the mean and variance of each key over the averaged axes.
Variable normalize_batch(const char* label, const Variable& x, const Variable& gamma, const Variable& beta,
                         const NormalizeBatchOptions& options);

/// Returns the axes to average over: the given ones, or all but as many as gamma has, from axis 1 on. Checks dtypes and
/// shapes of x, gamma, beta, and of mean and var if there are five inputs.
Dims averaged_axes(const char* label, const Arrays& inputs, const Axes& axis);

}  // namespace chainer::functions
