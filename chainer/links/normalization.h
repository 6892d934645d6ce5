// SPDX-License-Identifier: MIT
// L: normalization with parameters (manual: "Activation/loss/normalization functions with parameters").
#pragma once
#include <optional>

#include "chainer/links/members.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Options of LayerNormalization.
struct LayerNormalizationOptions {
  double eps = 1e-6;
  InitializerArg initial_gamma = {};  ///< one by default
  InitializerArg initial_beta = {};   ///< zero by default
};
/// F::layer_normalization with gamma (size) and beta (size); if not given, the size is determined at the first call.
/// The axes after the first n_batch_axes are normalized together: for x (batch, time, features), n_batch_axes = 2
/// normalizes each feature vector. forward() throws DimensionError if n_batch_axes is not in 1 ... ndim - 1 or the size
/// differs.
class LayerNormalization : public Link {
 public:
  explicit LayerNormalization(std::optional<int64_t> size = {}, const LayerNormalizationOptions& options = {});
  CHAINER_OTHER_OPTIONS(LayerNormalization, ".eps, .initial_gamma, .initial_beta", std::optional<int64_t>);
  Variable forward(const Variable& x, int64_t n_batch_axes = 1);
  chainer::Parameter gamma, beta;
  CHAINER_DECLARE_MEMBERS(LayerNormalization);

 private:
  double eps_;
};

/// Options of GroupNormalization.
struct GroupNormalizationOptions {
  double eps = 1e-5;
  InitializerArg initial_gamma = {};  ///< one by default
  InitializerArg initial_beta = {};   ///< zero by default
};
/// F::group_normalization of x (N, C, ...) with gamma (C) and beta (C). forward() throws ValueError if x has fewer than
/// three axes at the first call, and as F::group_normalization() does.
class GroupNormalization : public Link {
 public:
  explicit GroupNormalization(int64_t groups, std::optional<int64_t> size = {},
                              const GroupNormalizationOptions& options = {});
  CHAINER_OTHER_OPTIONS(GroupNormalization, ".eps, .initial_gamma, .initial_beta", int64_t, std::optional<int64_t>);
  Variable forward(const Variable& x);
  chainer::Parameter gamma, beta;
  CHAINER_DECLARE_MEMBERS(GroupNormalization);

 private:
  int64_t groups_;
  double eps_;
};

/// Options of RMSNormalization.
struct RMSNormalizationOptions {
  double eps = 1e-6;
  InitializerArg initial_gamma = {};  ///< one by default
};
/// F::rms_normalization of x (..., size) with gamma (size); if not given, the size is determined at the first call.
/// forward() throws DimensionError if x has no axis, and as F::rms_normalization() does.
class RMSNormalization : public Link {
 public:
  explicit RMSNormalization(std::optional<int64_t> size = {}, const RMSNormalizationOptions& options = {});
  CHAINER_OTHER_OPTIONS(RMSNormalization, ".eps, .initial_gamma", std::optional<int64_t>);
  Variable forward(const Variable& x);
  chainer::Parameter gamma;
  CHAINER_DECLARE_MEMBERS(RMSNormalization);

 private:
  double eps_;
};

/// Options of BatchNormalization and BatchRenormalization.
struct BatchNormalizationOptions {
  double decay = 0.9;  ///< the fraction of the running statistics that each step keeps
  double eps = 2e-5;
  std::optional<Dtype> dtype = {};  ///< dtype of parameters and statistics; config().dtype by default
  bool use_gamma = true;            ///< false: no scaling
  bool use_beta = true;             ///< false: no shift
  InitializerArg initial_gamma = {};
  InitializerArg initial_beta = {};
  Axes axis = {};  ///< axes to average over, ascending; all but those of `size` by default
  InitializerArg initial_avg_mean = {};
  InitializerArg initial_avg_var = {};
};
/// In training mode, F::batch_normalization, which updates the running statistics avg_mean and avg_var; in test mode,
/// F::fixed_batch_normalization with these. `size` is the number of channels, or the shape of the channel axes; without
/// `size`, `axis` must be given (RuntimeError at the first call otherwise), and the shapes are determined at the first
/// call. forward() throws as the functions do. In files: N, avg_mean, avg_var, beta, gamma.
class BatchNormalization : public Link {
 public:
  explicit BatchNormalization(int64_t size, const BatchNormalizationOptions& options = {})
      : BatchNormalization(Shape{size}, options) {}
  CHAINER_OTHER_OPTIONS(BatchNormalization,
                        ".decay, .eps, .dtype, .use_gamma, .use_beta, .initial_gamma, .initial_beta, .axis, "
                        ".initial_avg_mean, .initial_avg_var",
                        int64_t);
  explicit BatchNormalization(const Shape& size, const BatchNormalizationOptions& options = {});
  CHAINER_OTHER_OPTIONS(BatchNormalization,
                        ".decay, .eps, .dtype, .use_gamma, .use_beta, .initial_gamma, .initial_beta, .axis, "
                        ".initial_avg_mean, .initial_avg_var",
                        const Shape&);
  BatchNormalization(std::nullopt_t, const BatchNormalizationOptions& options);
  CHAINER_OTHER_OPTIONS(BatchNormalization,
                        ".decay, .eps, .dtype, .use_gamma, .use_beta, .initial_gamma, .initial_beta, .axis, "
                        ".initial_avg_mean, .initial_avg_var",
                        std::nullopt_t);
  /// With `finetune`, in training mode: sets avg_mean and avg_var to the means over all batches since
  /// start_finetuning().
  Variable forward(const Variable& x, bool finetune = false);
  /// Resets the count of batches.
  void start_finetuning() { N = 0; }

  std::optional<chainer::Parameter> gamma, beta;  ///< initially one and zero; absent without use_gamma, use_beta
  Array avg_mean, avg_var;                        ///< initially zero and one; none until the shapes are known
  int64_t N = 0;                                  ///< number of batches counted by fine-tuning
  double decay, eps;
  CHAINER_DECLARE_MEMBERS(BatchNormalization);

 protected:
  /// Initializes parameters and statistics that were not loaded.
  void initialize(const Shape& size);
  /// Return gamma and beta, or ones and zeros if absent.
  Variable gamma_for(const Variable& x) const;
  Variable beta_for(const Variable& x) const;
  /// Counts a batch for fine-tuning and returns the decay to use. Changes nothing while a graph is recomputed.
  double next_decay(bool finetune);

 private:
  std::optional<Dtype> dtype_;
  Axes axis_;
  InitializerArg initial_mean_, initial_var_;
};

/// Options of BatchRenormalization: those of BatchNormalization, and limits of the correction.
struct BatchRenormalizationOptions {
  double rmax = 1;  ///< the largest correction of the standard deviation, a factor
  double dmax = 0;  ///< the largest correction of the mean, in standard deviations
  double decay = 0.9;
  double eps = 2e-5;
  std::optional<Dtype> dtype = {};
  bool use_gamma = true;
  bool use_beta = true;
  InitializerArg initial_gamma = {};
  InitializerArg initial_beta = {};
  InitializerArg initial_avg_mean = {};
  InitializerArg initial_avg_var = {};
};
/// BatchNormalization with F::batch_renormalization in training mode: the same shapes; throws ValueError unless
/// rmax >= 1 and dmax >= 0.
class BatchRenormalization : public BatchNormalization {
 public:
  explicit BatchRenormalization(int64_t size, const BatchRenormalizationOptions& options = {})
      : BatchRenormalization(Shape{size}, options) {}
  CHAINER_OTHER_OPTIONS(BatchRenormalization,
                        ".rmax, .dmax, .decay, .eps, .dtype, .use_gamma, .use_beta, .initial_gamma, .initial_beta, "
                        ".initial_avg_mean, .initial_avg_var",
                        int64_t);
  explicit BatchRenormalization(const Shape& size, const BatchRenormalizationOptions& options = {});
  CHAINER_OTHER_OPTIONS(BatchRenormalization,
                        ".rmax, .dmax, .decay, .eps, .dtype, .use_gamma, .use_beta, .initial_gamma, .initial_beta, "
                        ".initial_avg_mean, .initial_avg_var",
                        const Shape&);
  Variable forward(const Variable& x, bool finetune = false);
  double rmax, dmax;  ///< may be changed during training
  CHAINER_DECLARE_MEMBERS(BatchRenormalization);
};

/// Options of DecorrelatedBatchNormalization.
struct DecorrelatedBatchNormalizationOptions {
  std::optional<int64_t> groups = 16;      ///< if none, size / group_size
  double decay = 0.9;                      ///< the fraction of the running statistics that each step keeps
  double eps = 2e-5;                       ///< added to the variances
  std::optional<Dtype> dtype = {};         ///< dtype of the statistics; config().dtype by default
  std::optional<int64_t> group_size = {};  ///< channels of a group; 16 if `groups` is none, too
};
/// In training mode, F::decorrelated_batch_normalization of x (N, size, ...), which updates the running statistics
/// avg_mean (groups, n) and avg_projection (groups, n, n), for n = size / groups; in test mode,
/// F::fixed_decorrelated_batch_normalization with these. The constructor throws ValueError unless groups times
/// group_size is `size`; forward() throws as the functions do. In files: N, avg_mean, avg_projection, as in Chainer 7.
///   L::DecorrelatedBatchNormalization norm(6, {.groups = 2});
///   norm(array(std::vector<float>(24, 1.f), {4, 6}))  // shape (4, 6)
class DecorrelatedBatchNormalization : public Link {
 public:
  explicit DecorrelatedBatchNormalization(int64_t size, const DecorrelatedBatchNormalizationOptions& options = {});
  CHAINER_OTHER_OPTIONS(DecorrelatedBatchNormalization, ".groups, .decay, .eps, .dtype, .group_size", int64_t);
  /// With `finetune`, in training mode: sets the statistics to the means over all batches since start_finetuning().
  Variable forward(const Variable& x, bool finetune = false);
  /// Resets the count of batches.
  void start_finetuning() { N = 0; }

  Array avg_mean, avg_projection;  ///< initially zero and the identity
  int64_t N = 0;                   ///< number of batches counted by fine-tuning
  double decay, eps;
  CHAINER_DECLARE_MEMBERS(DecorrelatedBatchNormalization);

 private:
  int64_t groups_;
};

/// Columns of a table with mean 0 and deviation 1: fit() takes mean and standard deviation of x (rows, columns...) over
/// the rows, in float64 and without NaNs; the link then computes (x - mean) / scale. A constant column has scale 1.
/// Mean and scale are saved with the model that the scaler is a member of.
///   L::StandardScaler s;
///   s.fit(array({{1.f, 5.f}, {3.f, 5.f}}));
///   s(array({{5.f, 6.f}}))                // [[3, 1]]
///   s.inverse(array({{3.f, 1.f}}))        // [[5, 6]]
class StandardScaler : public Link {
 public:
  /// With a number of columns it is there before fit(), with mean 0 and scale 1: what load_npz() fills.
  explicit StandardScaler(std::optional<int64_t> columns = {});
  /// ValueError without rows or for a column of NaNs only, TypeError for an x that is not of numbers.
  void fit(const Array& x);
  /// RuntimeError before fit() or loading.
  Variable forward(const Variable& x);
  /// The same for arrays, without a graph.
  Array transform(const Array& x);
  /// y * scale + mean, for predictions of scaled targets.
  Variable inverse(const Variable& y);
  Array mean, scale;
  CHAINER_DECLARE_MEMBERS(StandardScaler);
};

}  // namespace links
namespace L = links;
}  // namespace chainer
