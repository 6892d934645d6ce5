// SPDX-License-Identifier: MIT
#include "chainer/iterators/order_sampler.h"

namespace chainer::iterators {

std::vector<int64_t> ShuffleOrderSampler::operator()(const std::vector<int64_t>& current, int64_t) const {
  const auto n = static_cast<int64_t>(current.size());
  return (state_ ? state_->permutation(n) : random::permutation(n)).to_vector<int64_t>();
}

OrderSampler sampler_of(const IteratorOptions& o) {
  if (o.order_sampler && o.shuffle) throw ValueError("an iterator takes shuffle or order_sampler, not both");
  if (o.order_sampler) return o.order_sampler;
  return o.shuffle.value_or(true) ? OrderSampler(ShuffleOrderSampler()) : OrderSampler();
}

}  // namespace chainer::iterators
