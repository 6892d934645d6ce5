// L: normalization with parameters (manual: "Activation/loss/normalization functions with parameters").
#pragma once
#include "chainer/links/link.h"

namespace chainer {
namespace links {

/// Options of LayerNormalization.
struct LayerNormalizationOptions {
  double eps = 1e-6;
  InitializerArg initial_gamma = {};  ///< one by default
  InitializerArg initial_beta = {};   ///< zero by default
};
/// F::layer_normalization with gamma and beta; the size is found at the first call if it is not given.
class LayerNormalization : public Link {
 public:
  explicit LayerNormalization(std::optional<int64_t> size = {}, const LayerNormalizationOptions& options = {});
  Variable forward(const Variable& x);
  chainer::Parameter gamma, beta;
  CHAINER_MEMBERS(LayerNormalization, gamma, beta);

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
  CHAINER_MEMBERS(GroupNormalization, gamma, beta);

 private:
  int64_t groups_;
  double eps_;
};

}  // namespace links
namespace L = links;
}  // namespace chainer
