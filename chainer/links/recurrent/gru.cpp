// SPDX-License-Identifier: MIT
#include "chainer/functions/math.h"
#include "chainer/links/recurrent/state.h"

namespace chainer::links {
namespace {

LinearOptions from_input(const GRUOptions& o) { return {.initialW = o.init, .initial_bias = o.bias_init}; }
LinearOptions from_state(const GRUOptions& o) { return {.initialW = o.inner_init, .initial_bias = o.bias_init}; }

}  // namespace

GRUBase::GRUBase(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& o)
    : W_r(in_size, out_size, from_input(o)),
      U_r(out_size, out_size, from_state(o)),
      W_z(in_size, out_size, from_input(o)),
      U_z(out_size, out_size, from_state(o)),
      W(in_size, out_size, from_input(o)),
      U(out_size, out_size, from_state(o)) {}

Variable StatelessGRU::forward(const Variable& h, const Variable& x) {
  const Variable r = functions::sigmoid(W_r(x) + U_r(h));
  const Variable z = functions::sigmoid(W_z(x) + U_z(h));
  return functions::linear_interpolate(z, functions::tanh(W(x) + U(r * h)), h);
}

void StatefulGRU::set_state(const Variable& new_h) {
  check_state("StatefulGRU", {new_h});
  h = new_h;
}

Variable StatefulGRU::forward(const Variable& x) {
  follow(h, x);
  Variable z = W_z(x), candidate = W(x);
  if (h) {
    const Variable r = functions::sigmoid(W_r(x) + U_r(h));
    z = functions::sigmoid(z + U_z(h));
    candidate = functions::tanh(candidate + U(r * h));
    h = functions::linear_interpolate(z, candidate, h);
  } else {
    h = functions::sigmoid(z) * functions::tanh(candidate);
  }
  return h;
}

CHAINER_DEFINE_MEMBERS(StatelessGRU, W_r, U_r, W_z, U_z, W, U)
CHAINER_DEFINE_MEMBERS(StatefulGRU, W_r, U_r, W_z, U_z, W, U)
CHAINER_DEFINE_MEMBERS(GRU, W_r, U_r, W_z, U_z, W, U)

}  // namespace chainer::links
