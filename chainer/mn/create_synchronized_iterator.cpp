// SPDX-License-Identifier: MIT
#include "chainer/mn/iterators.h"

namespace chainer::mn::iterators {

chainer::iterators::OrderSampler synchronized_order(const Communicator& comm) {
  Object drawn;
  if (comm->rank() == 0) drawn = Object(static_cast<int64_t>(random::global().next_uint32()));
  const auto seed = static_cast<uint32_t>(comm->bcast_obj(drawn).to_int());
  return chainer::iterators::SeededOrderSampler(seed);
}

}  // namespace chainer::mn::iterators
