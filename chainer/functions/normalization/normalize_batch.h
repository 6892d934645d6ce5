// What batch normalization and batch renormalization share.
#pragma once
#include <optional>

#include "chainer/autograd/variable.h"

namespace chainer::functions {

/// How far batch renormalization may correct what batch normalization computes.
struct Renormalization {
  double rmax, dmax;
};
struct NormalizeBatchOptions {
  double eps;
  Array running_mean, running_var;
  double decay;
  bool update;  ///< change the running statistics
  Dims averaged;
  std::optional<Renormalization> renormalization = {};
};
/// gamma (x - mean) / sqrt(var + eps) + beta with each key's mean and variance over the averaged axes.
Variable normalize_batch(const char* label, const Variable& x, const Variable& gamma, const Variable& beta,
                         const NormalizeBatchOptions& options);

/// The axes to average over: those given, or all but as many as gamma has, from axis 1 on. Checks types and shapes of
/// x, gamma, beta, and of mean and var where there are five.
Dims averaged_axes(const char* label, const Arrays& inputs, const Axes& axis);

}  // namespace chainer::functions
