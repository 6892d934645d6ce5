// SPDX-License-Identifier: MIT
#include "chainer/functions/rnn/packed.h"

#include "chainer/functions/array.h"
#include "chainer/functions/noise.h"
#include "chainer/routines/creation.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

// Checks all weights and states before any work is done.
void check(const RnnDefinition& rnn, const Variable& hx, const Variable& cx, const PackedSequences& s, int64_t batch) {
  const auto directions = rnn.bidirectional ? int64_t(2) : int64_t(1);
  const auto count = static_cast<std::size_t>(weight_count(rnn.kind));
  const std::string_view name = rnn.name;
  if (rnn.n_layers < 1) throw ValueError(name, ": n_layers must be at least 1, not ", rnn.n_layers);
  const auto rows = static_cast<std::size_t>(rnn.n_layers * directions);
  if (rnn.ws.size() != rows || rnn.bs.size() != rows)
    throw ValueError(name, ": ", rnn.n_layers, " layers in ", directions, " directions need ", rows,
                     " lists of weights and of biases, got ", rnn.ws.size(), " and ", rnn.bs.size());
  if (rnn.ws[0].empty() || rnn.ws[0][0].ndim() != 2) throw ValueError(name, ": ws[0][0] must be a matrix");
  const Dtype dtype = rnn.ws[0][0].dtype();
  if (!is_floating(dtype)) throw TypeError(name, ": weights must be floating, not ", dtype);
  const int64_t units = rnn.ws[0][0].shape()[0], in_size = rnn.ws[0][0].shape()[1];
  for (std::size_t i = 0; i < rows; ++i) {
    if (rnn.ws[i].size() != count || rnn.bs[i].size() != count)
      throw ValueError(name, ": a layer has ", count, " matrices and biases; ws[", i, "] has ", rnn.ws[i].size(),
                       ", bs[", i, "] ", rnn.bs[i].size());
    for (std::size_t k = 0; k < count; ++k) {
      const bool from_state = k >= count / 2, first = static_cast<int64_t>(i) < directions;
      const Shape w{units, from_state ? units : first ? in_size : units * directions}, b{units};
      if (rnn.ws[i][k].shape() != w || rnn.bs[i][k].shape() != b)
        throw ValueError(name, ": ws[", i, "][", k, "] must have shape ", w, " and bs[", i, "][", k, "] ", b,
                         "; they have ", rnn.ws[i][k].shape(), " and ", rnn.bs[i][k].shape());
      if (rnn.ws[i][k].dtype() != dtype || rnn.bs[i][k].dtype() != dtype)
        throw TypeError(name, ": ws[", i, "][", k, "] and bs[", i, "][", k, "] must be ", dtype,
                        " as ws[0][0]; they are ", rnn.ws[i][k].dtype(), " and ", rnn.bs[i][k].dtype());
    }
  }
  if (s.x && (s.x.ndim() != 2 || s.x.shape()[1] != in_size))
    throw ValueError(name, ": items must be rows of length ", in_size, ", the columns of ws[0][0]; got shape ",
                     s.x.shape());
  if (s.x && s.x.dtype() != dtype) throw TypeError(name, ": items are ", s.x.dtype(), ", weights ", dtype);
  for (std::size_t t = 1; t < s.batch_sizes.size(); ++t)
    if (s.batch_sizes[t] > s.batch_sizes[t - 1])
      throw ValueError(name, ": the longest sequence comes first, so batches cannot grow; ", s.batch_sizes[t],
                       " items at time ", t, " follow ", s.batch_sizes[t - 1]);
  const Shape state{static_cast<int64_t>(rows), batch, units};
  for (const Variable* v : {&hx, &cx}) {
    if (!*v) continue;
    const char* which = v == &hx ? "hx" : "cx";
    if (v->shape() != state) throw ValueError(name, ": ", which, " must have shape ", state, ", not ", v->shape());
    if (v->dtype() != dtype) throw TypeError(name, ": ", which, " is ", v->dtype(), ", weights are ", dtype);
  }
  if (!s.batch_sizes.empty() && s.batch_sizes[0] > batch)
    throw ValueError(name, ": the states have ", batch, " sequences, time 0 has ", s.batch_sizes[0], " items");
}

Variables states(const Variable& given, const RnnDefinition& rnn, int64_t batch) {
  if (given) return separate(given, 0);
  const Variable& w = rnn.ws[0][0];
  const Variable zero(zeros({batch, w.shape()[0]}, w.dtype(), w.device()), false);
  return Variables(std::vector<Variable>(rnn.ws.size(), zero));
}

// Copies the parameters in float32. Returns true if some had 16 bits.
bool widen(const std::vector<Variables>& parameters, std::vector<Variables>& out) {
  bool any = false;
  for (const Variables& layer : parameters) {
    out.emplace_back();
    for (const Variable& v : layer) {
      any |= are_narrow(v);
      out.back().push_back(widened(v));
    }
  }
  return any;
}

}  // namespace

RnnResult apply_rnn(const RnnDefinition& rnn, const Variable& hx, const Variable& cx, const PackedSequences& sequences,
                    int64_t batch) {
  if (config().dtype.get().products) {
    std::vector<Variables> ws, bs;
    if (widen(rnn.ws, ws) | widen(rnn.bs, bs) || are_narrow(hx, cx, sequences.x))
      return apply_rnn({rnn.name, rnn.kind, rnn.bidirectional, rnn.n_layers, rnn.dropout_ratio, ws, bs}, widened(hx),
                       widened(cx), {widened(sequences.x), sequences.batch_sizes}, batch);
  }
  check(rnn, hx, cx, sequences, batch);
  const Variables h0 = states(hx, rnn, batch), c0 = rnn.kind == RnnKind::lstm ? states(cx, rnn, batch) : Variables();
  Variables h, c;
  PackedSequences level = sequences;
  if (!level.x) {
    const Variable& w = rnn.ws[0][0];
    level.x = Variable(zeros({0, w.shape()[1]}, w.dtype(), w.device()), false);
  }
  const int directions = rnn.bidirectional ? 2 : 1;
  for (int64_t layer = 0; layer < rnn.n_layers; ++layer) {
    Variables outputs;
    for (int d = 0; d < directions; ++d) {
      const auto i = static_cast<std::size_t>(layer * directions + d);
      PackedSequences in = level;
      if (layer > 0) in.x = dropout(in.x, rnn.dropout_ratio);
      const Variables out =
          apply_rnn_layer(rnn.kind, d == 1, in, h0[i], c0.empty() ? Variable() : c0[i], rnn.ws[i], rnn.bs[i]);
      outputs.push_back(out[0]);
      h.push_back(out[1]);
      if (rnn.kind == RnnKind::lstm) c.push_back(out[2]);
    }
    level.x = directions == 1 ? outputs[0] : concat(outputs, 1);
  }
  return {stack(h), c.empty() ? Variable() : stack(c), level.x};
}

RnnResult apply_rnn(const RnnDefinition& rnn, const Variable& hx, const Variable& cx, const Variables& xs,
                    Variables& ys) {
  PackedSequences s;
  std::vector<int64_t> ends;
  for (std::size_t t = 0; t < xs.size(); ++t) {
    if (xs[t].ndim() != 2)
      throw ValueError(rnn.name, ": xs[", t, "] must have two axes, items and their size, not shape ", xs[t].shape());
    s.batch_sizes.push_back(len(xs[t]));
    ends.push_back(len(xs[t]) + (t ? ends.back() : 0));
  }
  if (!xs.empty()) s.x = concat(xs, 0);
  const Variable& given = hx ? hx : cx;
  if (given && given.ndim() != 3)
    throw ValueError(rnn.name, ": states must have three axes (layers, sequences, units), not shape ", given.shape());
  const int64_t batch = given ? given.shape()[1] : xs.empty() ? 0 : s.batch_sizes[0];
  RnnResult r = apply_rnn(rnn, hx, cx, s, batch);
  if (!xs.empty()) {
    ends.pop_back();
    ys = split_axis(r.y, ends, 0);
  }
  return r;
}

}  // namespace chainer::functions
