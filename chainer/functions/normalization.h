// SPDX-License-Identifier: MIT
// F: normalization functions (manual: "Normalization functions"). The result has the shape and dtype of x.
// Errors: every function throws InvalidType if an input is not of a floating dtype, if the inputs' dtypes differ, or if
// the shapes of the inputs do not match as the comment states. See functions.h for what all functions share.
#pragma once
#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// Options of normalize().
struct NormalizeOptions {
  double eps = 1e-5;
  Axes axis = 1;
};
/// Computes x / (|x| + eps) with the Euclidean norm over axes, for x of any shape. Throws IndexError if there is no
/// such axis.
///   F::normalize(array({{3.f, 4.f}}))  // [[0.6, 0.8]]
inline constexpr struct Normalize {
  static constexpr std::string_view name = "normalize";
  Variable operator()(const Variable& x, const NormalizeOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(normalize, ".eps, .axis", const Variable&);
} normalize{};

/// Options of layer_normalization() and group_normalization().
struct LayerNormalizationOptions {
  double eps = 1e-5;
};
/// Normalizes each row of x (N, D) to mean 0 and variance 1 (eps is added to the variance), then multiplies by gamma
/// (D) and adds beta (D). Ba et al., arXiv:1607.06450.
///   F::layer_normalization(array({{1.f, 3.f}}), array({1.f, 1.f}), array({0.f, 0.f}))  // [[-1, 1]]
inline constexpr struct LayerNormalization {
  static constexpr std::string_view name = "layer_normalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                      const LayerNormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(layer_normalization, ".eps", const Variable&, const Variable&, const Variable&);
} layer_normalization{};

/// Normalizes groups of channels of each item of x (N, C, ...) to mean 0 and variance 1 (eps is added to the variance),
/// then multiplies by gamma (C) and adds beta (C). Throws ValueError if x has fewer than two axes or `groups` does not
/// divide C, TypeError if `groups` is not positive. Wu & He, arXiv:1803.08494.
///   F::group_normalization(ones({2, 4, 3}), 2, ones({4}), zeros({4}))
inline constexpr struct GroupNormalization {
  static constexpr std::string_view name = "group_normalization";
  Variable operator()(const Variable& x, int64_t groups, const Variable& gamma, const Variable& beta,
                      const LayerNormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(group_normalization, ".eps", const Variable&, int64_t, const Variable&, const Variable&);
} group_normalization{};

/// Options of rms_normalization().
struct RmsNormalizationOptions {
  double eps = 1e-6;
};
/// Computes x / sqrt(mean(x^2) + eps) gamma along the last axis of x (..., D), with gamma (D). Throws InvalidType if
/// gamma has another shape. Zhang & Sennrich, arXiv:1910.07467.
///   F::rms_normalization(array({{3.f, 4.f}}), array({1.f, 1.f}))  // [[0.849, 1.131]]
inline constexpr struct RmsNormalization {
  static constexpr std::string_view name = "rms_normalization";
  Variable operator()(const Variable& x, const Variable& gamma, const RmsNormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(rms_normalization, ".eps", const Variable&, const Variable&);
} rms_normalization{};

/// Options of batch_normalization().
struct BatchNormalizationOptions {
  double eps = 2e-5;
  Array running_mean = {}, running_var = {};  ///< in the shape of gamma, updated in place; both or neither
  double decay = 0.9;                         ///< the fraction of the running statistics that an update keeps
  Axes axis = {};                             ///< axes to average over, ascending; all but those of gamma by default
};
/// Computes (x - mean) / sqrt(var + eps) gamma + beta, with the mean and variance of each channel of x (N, C, ...) over
/// the batch. gamma and beta have the shape of the axes that are not averaged over: (C), or more axes from axis 1 on,
/// unless `axis` names the averaged ones. The running variance is updated by the unbiased one. Throws ValueError if
/// `axis` does not ascend or only one running statistic is given, DimensionError if these have another shape than
/// gamma. Ioffe & Szegedy, arXiv:1502.03167.
///   F::batch_normalization(array({{1.f}, {3.f}}), array({1.f}), array({0.f}), {.eps = 0})  // [[-1], [1]]
inline constexpr struct BatchNormalization {
  static constexpr std::string_view name = "batch_normalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                      const BatchNormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(batch_normalization, ".eps, .running_mean, .running_var, .decay, .axis", const Variable&,
                             const Variable&, const Variable&);
} batch_normalization{};

/// Options of fixed_batch_normalization().
struct FixedBatchNormalizationOptions {
  double eps = 2e-5;
  Axes axis = {};  ///< as for batch_normalization()
};
/// batch_normalization() with given means and variances, of the shape of gamma, as in test mode. Throws ValueError if
/// `axis` does not ascend.
///   F::fixed_batch_normalization(array({{5.f}}), array({1.f}), array({0.f}), array({1.f}), array({4.f}), {.eps = 0})
inline constexpr struct FixedBatchNormalization {
  static constexpr std::string_view name = "fixed_batch_normalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta, const Variable& mean,
                      const Variable& var, const FixedBatchNormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(fixed_batch_normalization, ".eps, .axis", const Variable&, const Variable&,
                             const Variable&, const Variable&, const Variable&);
} fixed_batch_normalization{};

/// Options of batch_renormalization().
struct BatchRenormalizationOptions {
  double eps = 2e-5;
  Array running_mean = {}, running_var = {};  ///< zeros and ones by default
  double decay = 0.9;
  bool update_statistics = false;  ///< change the running statistics in place
};
/// batch_normalization() whose normalized values are multiplied by r and shifted by d, constants for each channel that
/// lead towards the running statistics: r = sigma / running_sigma within [1 / rmax, rmax], d = (mean - running_mean) /
/// running_sigma within [-dmax, dmax]. Shapes are those of batch_normalization(). Throws ValueError unless rmax >= 1
/// and dmax >= 0. Ioffe, arXiv:1702.03275.
///   F::batch_renormalization(array({{1.f}, {3.f}}), array({1.f}), array({0.f}), 1, 0, {.eps = 0})  // [[-1], [1]]
inline constexpr struct BatchRenormalization {
  static constexpr std::string_view name = "batch_renormalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta, double rmax, double dmax,
                      const BatchRenormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(batch_renormalization, ".eps, .running_mean, .running_var, .decay, .update_statistics",
                             const Variable&, const Variable&, const Variable&, double, double);
} batch_renormalization{};
/// fixed_batch_normalization() under a name that the release deprecates: the same shapes and exceptions.
///   const Variable one = array({1.f}), zero = array({0.f}), mean = array({1.f}), var = array({4.f});
///   F::fixed_batch_renormalization(array({{5.f}}), one, zero, mean, var, 0)  // [[2]]
inline constexpr struct FixedBatchRenormalization {
  static constexpr std::string_view name = "fixed_batch_renormalization";
  Variable operator()(const Variable& x, const Variable& gamma, const Variable& beta, const Variable& mean,
                      const Variable& var, double eps = 2e-5) const;
} fixed_batch_renormalization{};

/// Options of decorrelated_batch_normalization().
struct DecorrelatedBatchNormalizationOptions {
  int64_t groups = 16;
  double eps = 2e-5;                                 ///< added to the variances
  Array running_mean = {}, running_projection = {};  ///< (groups, n) and (groups, n, n), updated in place
  double decay = 0.9;                                ///< the fraction of the running statistics that an update keeps
};
/// Whitens groups of n = C / groups channels of x (N, C, ...): P (x - mean) with P = (covariance + eps I)^(-1/2) (ZCA)
/// and the mean and covariance over the batch, so that the channels of a group have the variance 1 and no correlation.
/// The running projection is updated by P, multiplied by m / (m - 1) for m elements of a channel, as in Chainer 6.
/// Throws ValueError if `groups` is not positive or does not divide C, DimensionError if the running statistics have
/// other shapes. Huang et al., arXiv:1804.08450.
///   const Array x = array({{1.f, 0.f}, {-1.f, 0.f}, {0.f, 4.f}, {0.f, -4.f}});
///   F::decorrelated_batch_normalization(x, {.groups = 1, .eps = 0})[0]  // [1.414, 0]
inline constexpr struct DecorrelatedBatchNormalization {
  static constexpr std::string_view name = "decorrelated_batch_normalization";
  Variable operator()(const Variable& x, const DecorrelatedBatchNormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(decorrelated_batch_normalization,
                             ".groups, .eps, .running_mean, .running_projection, .decay", const Variable&);
} decorrelated_batch_normalization{};

/// Options of fixed_decorrelated_batch_normalization().
struct FixedDecorrelatedBatchNormalizationOptions {
  int64_t groups = 16;
};
/// Computes projection (x - mean) for groups of n = C / groups channels of x (N, C, ...), with mean (groups, n) and
/// projection (groups, n, n), as in test mode. Throws ValueError if `groups` is not positive or does not divide C,
/// DimensionError if mean or projection have other shapes.
///   const Array mean = array({{1.f, 1.f}}), projection = array({{2.f, 0.f}, {0.f, 1.f}}).reshape({1, 2, 2});
///   F::fixed_decorrelated_batch_normalization(array({{2.f, 4.f}}), mean, projection, {.groups = 1})  // [[2, 3]]
inline constexpr struct FixedDecorrelatedBatchNormalization {
  static constexpr std::string_view name = "fixed_decorrelated_batch_normalization";
  Variable operator()(const Variable& x, const Variable& mean, const Variable& projection,
                      const FixedDecorrelatedBatchNormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(fixed_decorrelated_batch_normalization, ".groups", const Variable&, const Variable&,
                             const Variable&);
} fixed_decorrelated_batch_normalization{};

/// Options of local_response_normalization().
struct LocalResponseNormalizationOptions {
  int64_t n = 5;  ///< number of neighboring channels in the sum, including the channel itself
  double k = 2, alpha = 1e-4, beta = 0.75;
};
/// Computes x_i / (k + alpha sum of x_j^2)^beta for x (N, C, ...), with the sum over channels j from i - n / 2 to
/// i + n / 2. Throws InvalidType if x has fewer than two axes, ValueError unless n > 0. Krizhevsky et al., "ImageNet
/// classification with deep convolutional neural networks".
///   F::local_response_normalization(array({{1.f, 2.f}}), {.n = 3, .k = 0, .alpha = 1, .beta = 0.5})
inline constexpr struct LocalResponseNormalization {
  static constexpr std::string_view name = "local_response_normalization";
  Variable operator()(const Variable& x, const LocalResponseNormalizationOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(local_response_normalization, ".n, .k, .alpha, .beta", const Variable&);
} local_response_normalization{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
