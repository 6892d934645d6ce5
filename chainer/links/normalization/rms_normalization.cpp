// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization.h"
#include "chainer/links/normalization.h"

namespace chainer::links {

RMSNormalization::RMSNormalization(std::optional<int64_t> size, const RMSNormalizationOptions& o)
    : gamma(o.initial_gamma.value_or(1.0)), eps_(o.eps) {
  if (size) gamma.initialize({*size});
}
Variable RMSNormalization::forward(const Variable& x) {
  if (x.ndim() < 1) throw DimensionError("RMSNormalization: x has no axis");
  if (!gamma.is_initialized()) gamma.initialize({x.shape()[x.ndim() - 1]});
  return functions::rms_normalization(x, gamma, {.eps = eps_});
}

CHAINER_DEFINE_MEMBERS(RMSNormalization, gamma)

}  // namespace chainer::links
