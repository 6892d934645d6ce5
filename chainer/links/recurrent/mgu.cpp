// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/links/recurrent/state.h"

namespace chainer::links {

MGUBase::MGUBase(int64_t n_inputs, int64_t n_units)
    : W_f(n_inputs + n_units, n_units), W_h(n_inputs + n_units, n_units) {}

Variable MGUBase::step(const Variable& h, const Variable& x) {
  const Variable f = functions::sigmoid(W_f(functions::concat({h, x}, 1)));
  const Variable candidate = functions::tanh(W_h(functions::concat({f * h, x}, 1)));
  return functions::linear_interpolate(f, candidate, h);
}

void StatefulMGU::set_state(const Variable& new_h) {
  check_state("StatefulMGU", {new_h});
  h = new_h;
}

Variable StatefulMGU::forward(const Variable& x) {
  follow(h, x);
  h = step(or_zeros(h, {len(x), state_size_}, x), x);
  return h;
}

CHAINER_DEFINE_MEMBERS(StatelessMGU, W_f, W_h)
CHAINER_DEFINE_MEMBERS(StatefulMGU, W_f, W_h)

}  // namespace chainer::links
