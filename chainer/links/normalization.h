// L: normalization with parameters (manual: "Activation/loss/normalization functions with parameters").
#pragma once
#include <optional>

#include "chainer/links/members.h"

namespace chainer {
namespace links {

/// Options of LayerNormalization.
struct LayerNormalizationOptions {
  double eps = 1e-6;
  InitializerArg initial_gamma = {};  ///< one by default
  InitializerArg initial_beta = {};   ///< zero by default
};
/// F::layer_normalization with gamma and beta; the size is found at the first call if it is not given. The axes behind
/// the first n_batch_axes are normalized together: of x (batch, time, features), 2 does so for each feature vector.
class LayerNormalization : public Link {
 public:
  explicit LayerNormalization(std::optional<int64_t> size = {}, const LayerNormalizationOptions& options = {});
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
/// F::group_normalization with gamma and beta of the channels.
class GroupNormalization : public Link {
 public:
  explicit GroupNormalization(int64_t groups, std::optional<int64_t> size = {},
                              const GroupNormalizationOptions& options = {});
  Variable forward(const Variable& x);
  chainer::Parameter gamma, beta;
  CHAINER_DECLARE_MEMBERS(GroupNormalization);

 private:
  int64_t groups_;
  double eps_;
};

/// Options of BatchNormalization and BatchRenormalization.
struct BatchNormalizationOptions {
  double decay = 0.9;  ///< how much of the running statistics stays at each step
  double eps = 2e-5;
  std::optional<Dtype> dtype = {};  ///< of parameters and statistics; the configured one by default
  bool use_gamma = true;            ///< else no scaling
  bool use_beta = true;             ///< else no shift
  InitializerArg initial_gamma = {};
  InitializerArg initial_beta = {};
  Axes axis = {};  ///< averaged over, in ascending order; all but those of `size` by default
  InitializerArg initial_avg_mean = {};
  InitializerArg initial_avg_var = {};
};
/// F::batch_normalization in training, which moves the running statistics avg_mean and avg_var; in test mode
/// F::fixed_batch_normalization with them. `size` is the number of channels, or the shape of the channel axes; without
/// it `axis` must be given, and shapes are found at the first call. In files: N, avg_mean, avg_var, beta, gamma.
class BatchNormalization : public Link {
 public:
  explicit BatchNormalization(int64_t size, const BatchNormalizationOptions& options = {})
      : BatchNormalization(Shape{size}, options) {}
  explicit BatchNormalization(const Shape& size, const BatchNormalizationOptions& options = {});
  BatchNormalization(std::nullopt_t, const BatchNormalizationOptions& options);
  /// With `finetune`, in training: avg_mean and avg_var become the means over all batches since start_finetuning().
  Variable forward(const Variable& x, bool finetune = false);
  /// Forgets how many batches were counted.
  void start_finetuning() { N = 0; }

  std::optional<chainer::Parameter> gamma, beta;  ///< one and zero at first; absent as the options say
  Array avg_mean, avg_var;                        ///< zero and one at first; none until shapes are known
  int64_t N = 0;                                  ///< batches counted by fine-tuning
  double decay, eps;
  CHAINER_DECLARE_MEMBERS(BatchNormalization);

 protected:
  /// Parameters and statistics that were not loaded get their first values.
  void initialize(const Shape& size);
  /// gamma and beta, or ones and zeros.
  Variable gamma_for(const Variable& x) const;
  Variable beta_for(const Variable& x) const;
  /// Counts a batch for fine-tuning and returns the decay to use; without changes while a graph is computed again.
  double next_decay(bool finetune);

 private:
  std::optional<Dtype> dtype_;
  Axes axis_;
  InitializerArg initial_mean_, initial_var_;
};

/// Options of BatchRenormalization: those of BatchNormalization, and how far it may correct.
struct BatchRenormalizationOptions {
  double rmax = 1;  ///< the largest correction of the deviation
  double dmax = 0;  ///< the largest correction of the mean, in deviations
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
/// As BatchNormalization, with F::batch_renormalization in training.
class BatchRenormalization : public BatchNormalization {
 public:
  explicit BatchRenormalization(int64_t size, const BatchRenormalizationOptions& options = {})
      : BatchRenormalization(Shape{size}, options) {}
  explicit BatchRenormalization(const Shape& size, const BatchRenormalizationOptions& options = {});
  Variable forward(const Variable& x, bool finetune = false);
  double rmax, dmax;  ///< may be raised in the course of training
  CHAINER_DECLARE_MEMBERS(BatchRenormalization);
};

}  // namespace links
namespace L = links;
}  // namespace chainer
