// SPDX-License-Identifier: MIT
#include "chainer/functions/loss.h"
#include "chainer/links/loss.h"

namespace chainer::links {

CHAINER_DEFINE_MEMBERS(BlackOut, W)

BlackOut::BlackOut(int64_t in_size, const std::vector<double>& counts, int64_t sample_size)
    : W(0, Shape{static_cast<int64_t>(counts.size()), in_size}),
      sampler(utils::WalkerAlias(counts)),
      sample_size_(sample_size) {}

Variable BlackOut::forward(const Variable& x, const Variable& t) {
  return functions::black_out(x, t, W, sampler({x.shape()[0], sample_size_}));
}

}  // namespace chainer::links
