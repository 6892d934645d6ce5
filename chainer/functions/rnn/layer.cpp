// SPDX-License-Identifier: MIT
// One recurrent layer in one direction as one node, by the library of the device if it has one. Otherwise forward is
// one product of all items with the input weights, then for each time step a product with the state weights and a
// kernel, and backward is one product over all steps for each weight.
#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/operations/recurrent_cells.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/functions/rnn/library_layer.h"
#include "chainer/functions/rnn/packed.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

Array rows(const Array& a, int64_t begin, int64_t count) { return a[Slice(begin, begin + count)]; }
void copy_rows(const Array& from, int64_t from_row, Array& to, int64_t to_row, int64_t count) {
  if (count == 0) return;
  Array target = rows(to, to_row, count);
  copy_elements(rows(from, from_row, count), target);
}

class RnnLayer : public FunctionNode, public Described {
 public:
  RnnLayer(RnnKind kind, bool reverse, const std::vector<int64_t>& sizes, bool trains)
      : kind_(kind), reverse_(reverse), trains_(trains), sizes_(sizes) {
    for (int64_t n : sizes_) starts_.push_back(starts_.back() + n);
  }
  std::string label() const override {
    return kind_ == RnnKind::lstm ? "NStepLSTM" : kind_ == RnnKind::gru ? "NStepGRU" : "NStepRNN";
  }
  void describe(NodeAttributes& a) const override { a("kind", kind_)("reverse", reverse_)("sizes", sizes_); }
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  // Positions among the inputs.
  bool has_cell() const { return kind_ == RnnKind::lstm; }
  std::size_t gate_count() const { return static_cast<std::size_t>(weight_count(kind_)) / 2; }
  std::size_t first_weight() const { return has_cell() ? 3 : 2; }
  std::size_t first_bias() const { return first_weight() + 2 * gate_count(); }
  // The number of time steps, and the time of step i in processing order.
  std::size_t steps() const { return sizes_.size(); }
  std::size_t time(std::size_t i) const { return reverse_ ? steps() - 1 - i : i; }
  LstmCells cells(int64_t batch) const {
    return {.rows = batch, .units = units_, .gate_stride = units_, .unit_stride = 1, .a = 2, .i = 0, .o = 3, .f = 1};
  }

  void carry(const Array& made, const Array& first, Array& before, Array& last, std::size_t i) const;
  Variables composed(const Variables& in) const;
  bool apply_library(const Arrays& in, Arrays& out);

  RnnKind kind_;
  bool reverse_, trains_;
  std::vector<int64_t> sizes_, starts_{0};
  int64_t units_ = 0;
  // Kept by forward for backward, all packed: joined weights, gates before activation (for GRUs also the state's part),
  // states before and after each time step.
  Array x_, Wx_, Wh_, gates_, state_gates_, h_before_, h_, c_before_, c_;
  std::optional<LibraryLayer> library_;  // keeps its own arrays instead
};

Array joined(const Arrays& in, std::size_t first, std::size_t count, Dtype dtype) {
  Arrays parts(in.begin() + first, in.begin() + first + count);
  return dense(parts.size() == 1 ? parts[0] : concatenate(parts, 0), dtype);
}

// After step i: copies its results to the next step, together with the first states of the sequences that begin there,
// and stores the results of the sequences that end here.
void RnnLayer::carry(const Array& made, const Array& first, Array& before, Array& last, std::size_t i) const {
  const std::size_t t = time(i);
  const int64_t n = sizes_[t];
  int64_t kept = 0;
  if (i + 1 < steps()) {
    const std::size_t next = time(i + 1);
    kept = std::min(n, sizes_[next]);
    copy_rows(made, starts_[t], before, starts_[next], kept);
    copy_rows(first, kept, before, starts_[next] + kept, sizes_[next] - kept);
  }
  copy_rows(made, starts_[t] + kept, last, kept, n - kept);
}

bool RnnLayer::apply_library(const Arrays& in, Arrays& out) {
  if (config().use_cudnn.get() == "never" || config().cudnn_deterministic) return false;
  library_ = LibraryLayer::apply({kind_, x_.dtype(), x_.shape()[1], units_, sizes_, reverse_, trains_,
                                  config().use_cudnn_tensor_core.get() != "never"},
                                 x_, in[1], has_cell() ? in[2] : Array(),
                                 {in.data() + first_weight(), in.size() - first_weight()}, out);
  for (Array& a : out) a = a.astype(in[0].dtype(), false);
  return library_.has_value();
}

Arrays RnnLayer::forward(const Arrays& in) {
  Indexes all;
  for (std::size_t i = 0; i < in.size(); ++i) all.push_back(static_cast<int>(i));
  retain_inputs(all);
  const Dtype dtype = in[0].dtype(), work = compute_dtype(dtype);
  const Device device = in[0].device();
  Backend& backend = device.backend();
  const std::size_t gates = gate_count();
  units_ = in[1].shape()[1];
  x_ = dense(in[0], work);
  if (kind_ == RnnKind::tanh || kind_ == RnnKind::relu) retain_outputs({0});  // backward reads it
  if (Arrays out; apply_library(in, out)) {
    retain_outputs({0});
    return out;
  }
  const int64_t total = starts_.back(), width = static_cast<int64_t>(gates) * units_;
  Wx_ = joined(in, first_weight(), gates, work);
  Wh_ = joined(in, first_weight() + gates, gates, work);
  const Array bx = joined(in, first_bias(), gates, work), bh = joined(in, first_bias() + gates, gates, work);
  const auto product = [&](const Array& bias) {  // a copy of the bias that a product is added to
    Array out({total, width}, work, device);
    copy_elements(chainer::broadcast_to(bias, out.shape()), out);
    return out;
  };
  const bool gru = kind_ == RnnKind::gru;
  gates_ = product(gru ? bx : bx + bh);
  if (gru) state_gates_ = product(bh);
  if (total && x_.shape()[1]) matmul_into(x_, Wx_.T(), gates_, 1, 1);
  const auto packed = [&] { return Array({total, units_}, work, device); };
  const Array h0 = dense(in[1], work), c0 = has_cell() ? dense(in[2], work) : Array();
  h_ = packed(), h_before_ = packed();
  if (has_cell()) c_ = packed(), c_before_ = packed();
  Array h_last = h0.copy(), c_last = has_cell() ? c0.copy() : Array();
  if (steps()) {
    copy_rows(h0, 0, h_before_, starts_[time(0)], sizes_[time(0)]);
    if (has_cell()) copy_rows(c0, 0, c_before_, starts_[time(0)], sizes_[time(0)]);
  }
  for (std::size_t i = 0; units_ && i < steps(); ++i) {
    const int64_t begin = starts_[time(i)], n = sizes_[time(i)];
    if (n > 0) {
      const Array before = rows(h_before_, begin, n);
      Array z = rows(gates_, begin, n), h = rows(h_, begin, n);
      Array sum = gru ? rows(state_gates_, begin, n) : z;
      matmul_into(before, Wh_.T(), sum, 1, 1);
      if (has_cell()) {
        Array c = rows(c_, begin, n);
        const Array c_prev = rows(c_before_, begin, n);
        backend.lstm(cells(n), {&z, 1}, {&c_prev, 1}, c, h);
      } else if (gru) {
        backend.gru(z, sum, before, h);
      } else {
        const Array* operand = &z;
        backend.elementwise(kind_ == RnnKind::tanh ? Elementwise::tanh : Elementwise::relu, {&operand, 1}, h, work);
      }
    }
    carry(h_, h0, h_before_, h_last, i);
    if (has_cell()) carry(c_, c0, c_before_, c_last, i);
  }
  Arrays out = {h_.astype(dtype, false), h_last.astype(dtype, false)};
  if (has_cell()) out.push_back(c_last.astype(dtype, false));
  return out;
}

// Built of differentiable functions: used for gradients that need a graph.
Variables RnnLayer::composed(const Variables& in) const {
  const auto part = [&](std::size_t first) {
    return concat(Variables(in.begin() + first, in.begin() + first + gate_count()), 0);
  };
  const std::size_t w = first_weight(), b = first_bias(), gates = gate_count();
  const Variable Wh = part(w + gates), bh = part(b + gates);
  const Variable from_x = linear(in[0], part(w), part(b));
  Variable h = in[1], c = has_cell() ? in[2] : Variable();
  Variables y(steps());
  for (std::size_t i = 0; i < steps(); ++i) {
    const std::size_t t = time(i);
    const int64_t n = sizes_[t];
    const Variable z = from_x[Slice(starts_[t], starts_[t + 1])], before = h[Slice(0, n)], s = linear(before, Wh, bh);
    const auto gate = [&](const Variable& v, int64_t k) { return v[{ellipsis, Slice(k * units_, (k + 1) * units_)}]; };
    Variable now;
    if (has_cell()) {
      const Variable sum = z + s;
      const Variable cell = sigmoid(gate(sum, 1)) * c[Slice(0, n)] + sigmoid(gate(sum, 0)) * tanh(gate(sum, 2));
      now = sigmoid(gate(sum, 3)) * tanh(cell);
      c = concat({cell, c[Slice(n, std::nullopt)]}, 0);
    } else if (kind_ == RnnKind::gru) {
      const Variable r = sigmoid(gate(z, 0) + gate(s, 0)), keep = sigmoid(gate(z, 1) + gate(s, 1));
      now = (1.0 - keep) * tanh(gate(z, 2) + r * gate(s, 2)) + keep * before;
    } else {
      now = kind_ == RnnKind::tanh ? tanh(z + s) : relu(z + s);
    }
    h = concat({now, h[Slice(n, std::nullopt)]}, 0);
    y[t] = now;
  }
  Variables out = {y.empty() ? in[0][{ellipsis, Slice(0, 0)}] : concat(y, 0), h};
  if (has_cell()) out.push_back(c);
  return out;
}

Variables RnnLayer::backward(const Indexes& wanted, const Variables& gy) {
  const auto by_functions = [&] {
    return partial_gradients([&](const Variables& in) { return composed(in); }, retained_inputs(), wanted, gy);
  };
  if (config().enable_backprop) return by_functions();
  // These throw if an input or output was written to, whose memory x_, the weights and the states may share.
  (void)input_data(), (void)output_data();
  const Dtype dtype = inputs()[0]->dtype(), work = x_.dtype();
  const Device device = x_.device();
  const auto given = [&](std::size_t output) {
    return gy[output] ? gy[output].array() : zeros(input_shape(static_cast<int>(output)), work, device);
  };
  Variables out;
  if (library_) {
    const bool of_parameters =
        std::any_of(wanted.begin(), wanted.end(), [&](int i) { return static_cast<std::size_t>(i) >= first_weight(); });
    const auto g =
        library_->gradients(gy[0] ? gy[0].array() : Array(), given(1), has_cell() ? given(2) : Array(), of_parameters);
    if (!g) return by_functions();
    for (const int index : wanted) {
      const auto i = static_cast<std::size_t>(index);
      const Array& of_input = i == 0                ? g->x
                              : i >= first_weight() ? g->parameters[i - first_weight()]
                              : i == 1              ? g->h
                                                    : g->c;
      out.push_back(Variable(of_input.astype(dtype, false), false));
    }
    return out;
  }
  Backend& backend = device.backend();
  const auto state = [&](std::size_t output) {
    const Array g = dense(given(output), work);
    return gy[output] ? g.copy() : g;
  };
  const bool gru = kind_ == RnnKind::gru;
  const Array outputs = gy[0] ? dense(gy[0].array(), work) : Array();
  Array dh = state(1), dc = has_cell() ? state(2) : Array();
  Array dz(gates_.shape(), work, device), ds = gru ? Array(gates_.shape(), work, device) : dz;
  for (std::size_t i = steps(); units_ && i-- > 0;) {
    const int64_t begin = starts_[time(i)], n = sizes_[time(i)];
    if (n == 0) continue;
    Array g = rows(dh, 0, n), dzt = rows(dz, begin, n);
    if (outputs) g += rows(outputs, begin, n);
    const Array z = rows(gates_, begin, n);
    if (has_cell()) {
      Array gc = rows(dc, 0, n);
      const Array c_prev = rows(c_before_, begin, n);
      backend.lstm_grad(cells(n), {&z, 1}, {&c_prev, 1}, rows(c_, begin, n), gc, g, {&dzt, 1}, {&gc, 1});
      matmul_into(dzt, Wh_, g, 1, 0);
    } else if (gru) {
      Array dst = rows(ds, begin, n);
      backend.gru_grad(z, rows(state_gates_, begin, n), rows(h_before_, begin, n), g, dzt, dst, g);
      matmul_into(dst, Wh_, g, 1, 1);
    } else {
      const Array y = rows(h_, begin, n);
      const Array* operands[] = {&y, &g};
      backend.elementwise(kind_ == RnnKind::tanh ? Elementwise::tanh_grad : Elementwise::relu_grad, operands, dzt,
                          work);
      matmul_into(dzt, Wh_, g, 1, 0);
    }
  }
  // One product for all steps and gates; each gate's weights take their rows of it.
  const std::size_t gates = gate_count();
  Array gradients[4];  // of Wx, Wh, and the biases
  const auto sum_of = [&](std::size_t which) -> const Array& {
    Array& out = gradients[which];
    if (out) return out;
    const Array& g = which % 2 ? ds : dz;
    if (which >= 2) return out = chainer::sum(g, 0);
    return out = chainer::matmul(g.T(), which ? h_before_ : x_);
  };
  for (int index : wanted) {
    const auto i = static_cast<std::size_t>(index);
    Array g;
    if (i == 0) {
      g = chainer::matmul(dz, Wx_);
    } else if (i < first_weight()) {
      g = i == 1 ? dh : dc;
    } else {
      const std::size_t k = i - first_weight();
      const auto gate = static_cast<int64_t>(k % gates);
      g = rows(sum_of(k / gates), gate * units_, units_);
    }
    out.push_back(Variable(g.astype(dtype, false), false));
  }
  return out;
}

}  // namespace

Variables apply_rnn_layer(RnnKind kind, bool reverse, const PackedSequences& sequences, const Variable& h0,
                          const Variable& c0, const Variables& ws, const Variables& bs) {
  Variables in = {sequences.x, h0};
  if (kind == RnnKind::lstm) in.push_back(c0);
  for (const Variables* list : {&ws, &bs})
    for (const Variable& v : *list) in.push_back(v);
  std::vector<const Variable*> pointers;
  for (const Variable& v : in) pointers.push_back(&v);
  return apply(RnnLayer(kind, reverse, sequences.batch_sizes, wants_node(pointers.data(), pointers.size())), in);
}

}  // namespace chainer::functions
