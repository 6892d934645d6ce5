// F: normalization functions (manual: "Normalization functions").
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of normalize().
struct NormalizeOptions {
  double eps = 1e-5;
  Axes axis = 1;
};
/// x / (|x| + eps) with the Euclidean norm over axes.
///   F::normalize(array({{3.f, 4.f}}))  // [[0.6, 0.8]]
inline constexpr struct Normalize {
  static constexpr std::string_view name = "normalize";
  Variable operator()(const Variable& x, const NormalizeOptions& options = {}) const;
} normalize{};

/// Options of layer_normalization() and group_normalization().
struct LayerNormalizationOptions {
  double eps = 1e-5;
};
/// Each row of x (N, D) with mean 0 and variance 1, then times gamma (D) plus beta (D). Ba et al., arXiv:1607.06450.
///   F::layer_normalization(array({{1.f, 3.f}}), array({1.f, 1.f}), array({0.f, 0.f}))  // [[-1, 1]]
inline constexpr struct LayerNormalization {
  static constexpr std::string_view name = "layer_normalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                      const LayerNormalizationOptions& options = {}) const;
} layer_normalization{};

/// Groups of channels of each item of x (N, C, ...) with mean 0 and variance 1, then times gamma (C) plus beta (C).
/// Wu & He, arXiv:1803.08494.
///   F::group_normalization(ones({2, 4, 3}), 2, ones({4}), zeros({4}))
inline constexpr struct GroupNormalization {
  static constexpr std::string_view name = "group_normalization";
  Variable operator()(const Variable& x, int64_t groups, const Variable& gamma, const Variable& beta,
                      const LayerNormalizationOptions& options = {}) const;
} group_normalization{};

/// Options of batch_normalization().
struct BatchNormalizationOptions {
  double eps = 2e-5;
  Array running_mean = {}, running_var = {};  ///< of gamma's shape, changed in place; both or neither
  double decay = 0.9;                         ///< how much of the running statistics stays
  Axes axis = {};                             ///< averaged over, in ascending order; all but gamma's by default
};
/// (x - mean) / sqrt(var + eps) gamma + beta, with the mean and the variance of each channel over the batch. gamma and
/// beta have the shape of the axes that are not averaged over: axis 1 and those behind it for as many as gamma has,
/// unless `axis` says otherwise. The running variance takes the unbiased one. Ioffe & Szegedy, arXiv:1502.03167.
///   F::batch_normalization(array({{1.f}, {3.f}}), array({1.f}), array({0.f}), {.eps = 0})  // [[-1], [1]]
inline constexpr struct BatchNormalization {
  static constexpr std::string_view name = "batch_normalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                      const BatchNormalizationOptions& options = {}) const;
} batch_normalization{};

/// Options of fixed_batch_normalization().
struct FixedBatchNormalizationOptions {
  double eps = 2e-5;
  Axes axis = {};  ///< as for batch_normalization()
};
/// batch_normalization() with given means and variances of the channels, as in test mode.
///   F::fixed_batch_normalization(array({{5.f}}), array({1.f}), array({0.f}), array({1.f}), array({4.f}), {.eps = 0})
inline constexpr struct FixedBatchNormalization {
  static constexpr std::string_view name = "fixed_batch_normalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta, const Variable& mean,
                      const Variable& var, const FixedBatchNormalizationOptions& options = {}) const;
} fixed_batch_normalization{};

/// Options of batch_renormalization().
struct BatchRenormalizationOptions {
  double eps = 2e-5;
  Array running_mean = {}, running_var = {};  ///< zeros and ones by default
  double decay = 0.9;
  bool update_statistics = false;  ///< change the running statistics in place
};
/// batch_normalization() whose normalized values are multiplied by r and moved by d, constants for each channel that
/// lead towards the running statistics: r = sigma / running_sigma within [1 / rmax, rmax], d = (mean - running_mean) /
/// running_sigma within [-dmax, dmax]. Ioffe, arXiv:1702.03275.
///   F::batch_renormalization(array({{1.f}, {3.f}}), array({1.f}), array({0.f}), 1, 0, {.eps = 0})  // [[-1], [1]]
inline constexpr struct BatchRenormalization {
  static constexpr std::string_view name = "batch_renormalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta, double rmax, double dmax,
                      const BatchRenormalizationOptions& options = {}) const;
} batch_renormalization{};
/// fixed_batch_normalization() under the name that the release deprecates.
///   const Variable one = array({1.f}), zero = array({0.f}), mean = array({1.f}), var = array({4.f});
///   F::fixed_batch_renormalization(array({{5.f}}), one, zero, mean, var, 0)  // [[2]]
inline constexpr struct FixedBatchRenormalization {
  static constexpr std::string_view name = "fixed_batch_renormalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta, const Variable& mean,
                      const Variable& var, double eps = 2e-5) const;
} fixed_batch_renormalization{};

/// Options of local_response_normalization().
struct LocalResponseNormalizationOptions {
  int64_t n = 5;  ///< how many neighbouring channels count, the own one among them
  double k = 2, alpha = 1e-4, beta = 0.75;
};
/// x_i / (k + alpha sum of x_j^2)^beta, the sum over channels j from i - n / 2 to i + n / 2, for x (N, C, ...).
/// Krizhevsky et al., "ImageNet classification with deep convolutional neural networks".
///   F::local_response_normalization(array({{1.f, 2.f}}), {.n = 3, .k = 0, .alpha = 1, .beta = 0.5})
inline constexpr struct LocalResponseNormalization {
  static constexpr std::string_view name = "local_response_normalization";
  Variable operator()(const Variable& x, const LocalResponseNormalizationOptions& options = {}) const;
} local_response_normalization{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
