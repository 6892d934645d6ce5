// SPDX-License-Identifier: MIT
#include "chainer/functions/loss.h"

#include <cmath>

#include "chainer/links/loss.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::links {
namespace {
// counts^power computed in the dtype, as in the reference release: rounding decides which samples a seed gives.
std::vector<double> weights(const std::vector<double>& counts, double exponent, Dtype dtype) {
  const Array c = array(counts).astype(dtype);
  return power(c, full({}, exponent, dtype)).to_vector<double>();
}
}  // namespace

CHAINER_DEFINE_MEMBERS(NegativeSampling, W)

NegativeSampling::NegativeSampling(int64_t in_size, const std::vector<double>& counts, int64_t sample_size,
                                   const NegativeSamplingOptions& o)
    : W(0, Shape{static_cast<int64_t>(counts.size()), in_size}),
      sampler(utils::WalkerAlias(weights(counts, o.power, get_dtype(o.dtype)))),
      sample_size_(sample_size) {}

Variable NegativeSampling::forward(const Variable& x, const Variable& t, Reduction reduce) {
  return functions::negative_sampling(x, t, W, sampler, sample_size_, {.reduce = reduce});
}

}  // namespace chainer::links
