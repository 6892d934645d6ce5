// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/recurrent/state.h"
#include "chainer/routines/creation.h"

namespace chainer::links {

// The initial values of the gates. The reference release draws them gate by gate, alternating between lateral and
// upward. Therefore parameters are created as zeros and initialize_params() fills them all; afterwards (in copies with
// new initial values) each parameter fills itself.
struct LSTMBase::Initial {
  LSTMOptions options;
  bool by_parameter = false;

  // Fills the quarter of the rows of a weight that belongs to `gate`.
  static void fill_rows(Array& w, const InitializerArg& init, int64_t gate) {
    const int64_t rows = w.shape()[0] / 4;
    w.set(Slice(gate * rows, (gate + 1) * rows),
          generate_array(init.value_or(initializers::LeCunNormal()), {rows, w.shape()[1]}, w.dtype()));
  }
  void fill_bias(Array& b) const {
    const int64_t units = b.shape()[0] / 4;
    Array rows = b.reshape({units, 4});
    for (int64_t gate = 0; gate < 4; ++gate) {
      const InitializerArg init = gate == 2 ? options.forget_bias_init.value_or(1.0) : options.bias_init.value_or(0.0);
      rows.set({ellipsis, gate}, generate_array(init, {units}, b.dtype()));
    }
  }
  static InitializerArg weight(std::shared_ptr<Initial> self, const InitializerArg& init) {
    return std::function<void(Array&)>([self, init](Array& w) {
      if (!self->by_parameter) return w.fill(0);
      for (int64_t gate = 0; gate < 4; ++gate) fill_rows(w, init, gate);
    });
  }
  static InitializerArg bias(std::shared_ptr<Initial> self) {
    return std::function<void(Array&)>([self](Array& b) { self->by_parameter ? self->fill_bias(b) : b.fill(0); });
  }
};

LSTMBase::LSTMBase(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& o)
    : initial_(std::make_shared<Initial>(Initial{o})),
      upward(in_size, 4 * out_size,
             {.initialW = Initial::weight(initial_, o.upward_init), .initial_bias = Initial::bias(initial_)}),
      lateral(out_size, 4 * out_size, {.nobias = true, .initialW = Initial::weight(initial_, o.lateral_init)}) {
  if (in_size) initialize_params();
}

void LSTMBase::initialize_params() {
  Array lateral_W = lateral.W.array(), upward_W = upward.W.array(), b = upward.b->array();
  for (int64_t gate = 0; gate < 4; ++gate) {
    Initial::fill_rows(lateral_W, initial_->options.lateral_init, gate);
    Initial::fill_rows(upward_W, initial_->options.upward_init, gate);
  }
  initial_->fill_bias(b);
  initial_->by_parameter = true;
}

void LSTMBase::ensure_initialized(const Shape& x) {
  if (upward.W.is_initialized() || upward.quantized()) return;
  initial_->by_parameter = false;
  upward.W.initialize({4 * state_size(), Shape(x.begin() + 1, x.end()).product()});
  initialize_params();
}

void LSTM::set_state(const Variable& new_c, const Variable& new_h) {
  check_state("LSTM", {new_c, new_h});
  c = new_c, h = new_h;
}

Variable LSTM::forward(const Variable& x) {
  if (x.ndim() < 1) throw DimensionError("LSTM: x must have an axis of items, not shape ", x.shape());
  ensure_initialized(x.shape());
  follow(c, x), follow(h, x);
  const int64_t batch = x.shape()[0];
  Variable gates = upward(x), rest;
  if (h) {
    const int64_t before = h.shape()[0];
    if (before < batch)
      throw TypeError("LSTM: the batch grew from ", before, " to ", batch, " items; call reset_state() between them");
    if (batch == 0) {
      rest = h;
    } else if (before > batch) {
      const Variables parts = functions::split_axis(h, std::vector<int64_t>{batch}, 0);
      rest = parts[1];
      gates = gates + lateral(parts[0]);
    } else {
      gates = gates + lateral(h);
    }
  }
  Variables next = functions::lstm(or_zeros(c, {batch, state_size()}, x), gates);
  c = next[0];
  h = !rest ? next[1] : batch == 0 ? rest : functions::concat({next[1], rest}, 0);
  return next[1];
}

Variables StatelessLSTM::forward(const Variable& c, const Variable& h, const Variable& x) {
  if (x.ndim() < 1) throw DimensionError("StatelessLSTM: x must have an axis of items, not shape ", x.shape());
  ensure_initialized(x.shape());
  Variable gates = upward(x);
  if (h) gates = gates + lateral(h);
  return functions::lstm(or_zeros(c, {x.shape()[0], state_size()}, x), gates);
}

CHAINER_DEFINE_MEMBERS(LSTM, upward, lateral)
CHAINER_DEFINE_MEMBERS(StatelessLSTM, upward, lateral)

}  // namespace chainer::links
