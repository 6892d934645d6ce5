// SPDX-License-Identifier: MIT
#include "chainer/mn/iterators.h"

namespace chainer::mn::iterators {

chainer::iterators::OrderSampler synchronized_order(const Communicator& comm) {
  Object drawn;
  if (comm->rank() == 0) drawn = Object(static_cast<int64_t>(random::global().next_uint32()));
  const auto seed = static_cast<uint32_t>(comm->bcast_obj(drawn).to_int());
  // Each order but the first is computed from the one before, which snapshots contain, so that resumed runs continue
  // with the same orders.
  return [seed](const std::vector<int64_t>& current, int64_t) {
    uint32_t h = seed;
    bool first = true;
    for (std::size_t i = 0; i < current.size(); ++i) first &= current[i] == static_cast<int64_t>(i);
    if (!first) {
      h = 2166136261u;
      for (const int64_t i : current) h = (h ^ static_cast<uint32_t>(i)) * 16777619u;
    }
    return random::RandomState(h).permutation(static_cast<int64_t>(current.size())).to_vector<int64_t>();
  };
}

}  // namespace chainer::mn::iterators
