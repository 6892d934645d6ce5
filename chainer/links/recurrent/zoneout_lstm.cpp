// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/links/recurrent/state.h"

namespace chainer::links {

StatefulZoneoutLSTM::StatefulZoneoutLSTM(int64_t in_size, int64_t out_size, const StatefulZoneoutLSTMOptions& o)
    : upward(in_size, 4 * out_size),
      lateral(out_size, 4 * out_size, {.nobias = true}),
      state_size_(out_size),
      options_(o) {}

void StatefulZoneoutLSTM::set_state(const Variable& new_c, const Variable& new_h) {
  check_state("StatefulZoneoutLSTM", {new_c, new_h});
  c = new_c, h = new_h;
}

Variable StatefulZoneoutLSTM::forward(const Variable& x) {
  follow(c, x), follow(h, x);
  Variable gates = upward(x);
  if (h) gates = gates + lateral(h);
  const Shape shape{len(x), state_size_};
  const Variable c_before = or_zeros(c, shape, x), h_before = or_zeros(h, shape, x);
  const Variables next = functions::lstm(c_before, gates);
  c = functions::zoneout(c_before, next[0], options_.c_ratio);
  h = functions::zoneout(h_before, next[1], options_.h_ratio);
  return h;
}

CHAINER_DEFINE_MEMBERS(StatefulZoneoutLSTM, upward, lateral)

}  // namespace chainer::links
