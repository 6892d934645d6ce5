// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/links/recurrent/state.h"

namespace chainer::links {

StatefulPeepholeLSTM::StatefulPeepholeLSTM(int64_t in_size, int64_t out_size)
    : upward(in_size, 4 * out_size),
      lateral(out_size, 4 * out_size, {.nobias = true}),
      peep_i(out_size, out_size, {.nobias = true}),
      peep_f(out_size, out_size, {.nobias = true}),
      peep_o(out_size, out_size, {.nobias = true}),
      state_size_(out_size) {}

void StatefulPeepholeLSTM::set_state(const Variable& new_c, const Variable& new_h) {
  check_state("StatefulPeepholeLSTM", {new_c, new_h});
  c = new_c, h = new_h;
}

Variable StatefulPeepholeLSTM::forward(const Variable& x) {
  using functions::sigmoid;
  using functions::tanh;
  follow(c, x), follow(h, x);
  Variable gates = upward(x);
  if (h) gates = gates + lateral(h);
  const Variable before = or_zeros(c, {len(x), state_size_}, x);
  const Variables g = functions::separate(functions::reshape(gates, {len(x), state_size_, 4}), 2);
  const Variable i = sigmoid(g[1] + peep_i(before)), f = sigmoid(g[2] + peep_f(before));
  c = tanh(g[0]) * i + f * before;
  h = sigmoid(g[3] + peep_o(c)) * tanh(c);
  return h;
}

CHAINER_DEFINE_MEMBERS(StatefulPeepholeLSTM, upward, lateral, peep_i, peep_f, peep_o)

}  // namespace chainer::links
