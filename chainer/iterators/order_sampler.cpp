// SPDX-License-Identifier: MIT
#include "chainer/iterators/order_sampler.h"

namespace chainer::iterators {

std::vector<int64_t> ShuffleOrderSampler::operator()(const std::vector<int64_t>& current, int64_t) const {
  const auto n = static_cast<int64_t>(current.size());
  return (state_ ? state_->permutation(n) : random::permutation(n)).to_vector<int64_t>();
}

std::vector<int64_t> SeededOrderSampler::operator()(const std::vector<int64_t>& current, int64_t) {
  uint32_t h = 2166136261u;
  for (const uint32_t v : {seed_, static_cast<uint32_t>(drawn_)}) h = (h ^ v) * 16777619u;
  ++drawn_;
  return random::RandomState(h).permutation(static_cast<int64_t>(current.size())).to_vector<int64_t>();
}

void SeededOrderSampler::serialize(Serializer& s) {
  const char *const seed_key = "_order_seed", *const drawn_key = "_orders_drawn";
  if (s.is_loading() && !(s.contains(seed_key) && s.contains(drawn_key))) return;
  int64_t seed = seed_;
  s.count(seed_key, seed);
  s.count(drawn_key, drawn_);
  seed_ = static_cast<uint32_t>(seed);
}

OrderSampler sampler_of(const IteratorOptions& o) {
  if (o.order_sampler && o.shuffle) throw ValueError("an iterator takes shuffle or order_sampler, not both");
  if (o.order_sampler) return o.order_sampler;
  return o.shuffle.value_or(true) ? OrderSampler(ShuffleOrderSampler()) : OrderSampler();
}

}  // namespace chainer::iterators
