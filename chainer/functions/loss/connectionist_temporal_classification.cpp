// SPDX-License-Identifier: MIT
#include <limits>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/host_kernels/ctc.h"
#include "chainer/array/operations/indices.h"
#include "chainer/array/positions.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
using host_kernels::kImpossible;

// -log of the summed probability of all paths, from log probabilities (steps, batch, vocabulary). The forward pass and
// the first gradient are computed item by item, by the device if it can; a gradient that needs a graph uses `unrolled`.
struct CtcNode : FunctionNode {
  explicit CtcNode(CtcPaths p) : paths(std::move(p)) {}
  std::string label() const override { return "ConnectionistTemporalClassification"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    if (!forward_on(in[0].device(), in[0])) forward_on(Device(), to_host(in[0]));
    const Array none = less(totals, constant(host_kernels::kImpossible / 2, float64, totals.device()));
    const Array loss = chainer::where(none, constant(kInf, float64, totals.device()), -totals);
    return {loss.astype(in[0].dtype(), false).to_device(in[0].device())};
  }
  // Fills alphas and totals; returns false if the device cannot.
  bool forward_on(const Device& d, const Array& logs) {
    const Array x = dense(logs, float64);
    placed = paths.on(d);
    alphas = Array(host_kernels::ctc_alphas(paths, x.shape()[0]), float64, d);
    totals = Array({paths.batch()}, float64, d);
    if (!d.is_host()) return d.backend().ctc_forward(placed, x, alphas, totals);
    host_kernels::ctc_forward(placed, x, alphas, totals);
    return true;
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable x = retained_input(0);
    if (config().enable_backprop)
      return partial_gradients([&](const Variables& in) { return Variables{unrolled(in[0])}; }, {x}, wanted, gy);
    const Device d = alphas.device();
    const auto there = [&](const Variable& v) { return dense(v.array().to_device(d), float64); };
    const Array values = there(x), weights = there(gy[0]);
    Array gx = d.is_host() ? zeros(x.shape(), float64) : Array(x.shape(), float64, d);
    if (d.is_host())
      host_kernels::ctc_backward(placed, values, alphas, totals, weights, gx);
    else
      d.backend().ctc_backward(placed, values, alphas, totals, weights, gx);
    return {Variable(gx.astype(x.dtype(), false).to_device(x.device()), false)};
  }

  // Built of differentiable functions, step by step.
  Variable unrolled(const Variable& x) const {
    const CtcPaths here = paths.on(Device());
    const int64_t B = paths.batch(), W = paths.width(), steps = x.shape()[0];
    const Variable e = clip(get_item(x, {arange(steps).reshape({-1, 1, 1}), arange(B).reshape({-1, 1}), here.symbols}),
                            kImpossible, kInf);
    const auto constant = [&](const Shape& s) { return Variable(full(s, kImpossible, e.dtype(), e.device()), false); };
    Array start = full({B, W}, kImpossible, e.dtype()),
          skip = full({B, W}, kImpossible, e.dtype());  // made on the host
    Array last = full({B, W}, kImpossible, e.dtype());
    for (int64_t b = 0; b < B; ++b) {
      const int64_t L = here.path_length.data<int64_t>()[b];
      for (int64_t s = 0; s < std::min<int64_t>(2, L); ++s) start.set({b, s}, 0), last.set({b, L - 1 - s}, 0);
      for (int64_t s = 2; s < L; ++s)
        if (here.skips(b, s)) skip.set({b, s}, 0);
    }
    const Array length = here.input_length.reshape({B, 1}).to_device(e.device());
    Variable alpha = pick(e, 0, 0) + start.to_device(e.device());
    skip = skip.to_device(e.device());
    last = last.to_device(e.device());
    for (int64_t t = 1; t < steps; ++t) {
      Variables ways = {alpha, concat({constant({B, 1}), pick(alpha, Slice(0, W - 1), 1)}, 1)};
      if (W > 2) ways.push_back(concat({constant({B, 2}), pick(alpha, Slice(0, W - 2), 1)}, 1) + skip);
      alpha = where(Variable(greater(length, t), false), logsumexp(stack(ways), 0) + pick(e, t, 0), alpha);
    }
    const Variable loss = -logsumexp(alpha + last, 1);
    return where(Variable(less(loss.array(), -kImpossible / 2), false), loss,
                 Variable(full_like(loss.array(), kInf), false));
  }

  CtcPaths paths, placed;  // the latter where alphas are
  Array alphas, totals;
};

std::vector<int64_t> lengths(const Array& given, int64_t batch, int64_t most, int64_t least, const char* what) {
  if (!given) return std::vector<int64_t>(static_cast<std::size_t>(batch), most);
  if (given.ndim() != 1 || given.size() != batch || is_floating(given.dtype()))
    throw ValueError("connectionist_temporal_classification: ", what, " must be ", batch, " integers, got ",
                     given.dtype(), " of shape ", given.shape());
  const std::vector<int64_t> out = given.to_vector<int64_t>();
  for (std::size_t b = 0; b < out.size(); ++b)
    if (out[b] < least || out[b] > most)
      throw ValueError("connectionist_temporal_classification: ", what, " ", out[b], " at position ", b, " is not in ",
                       least, " ... ", most);
  return out;
}

[[noreturn]] void fail_ctc_label(int64_t label, int64_t position, const IndexCheck& check) {
  throw IndexError("connectionist_temporal_classification: label ", label, " at position (", position / check.axis,
                   ", ", position % check.axis, ") is not in 0 ... ", check.size - 1);
}

// Returns the symbols of the paths of labels t (batch, M) where t is, of which `counts` (batch) are used.
Array symbols_of(const Array& t, const Array& counts, int64_t blank, int64_t vocabulary) {
  const Device d = t.device();
  const int64_t batch = t.shape()[0], M = t.shape()[1];
  Array symbols = full({batch, 2 * M + 1}, blank, int64, d);
  if (t.size() == 0) return symbols;
  const IndexCheck check{.size = vocabulary, .axis = static_cast<int>(M), .fail = fail_ctc_label};
  if (d.is_host()) {
    const std::vector<int64_t> labels = t.to_vector<int64_t>();
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t i = 0; i < counts.data<int64_t>()[b]; ++i) {
        const int64_t label = labels[static_cast<std::size_t>(b * M + i)];
        if (label < 0 || label >= vocabulary) fail_ctc_label(label, b * M + i, check);
        symbols.mutable_data<int64_t>()[b * (2 * M + 1) + 2 * i + 1] = label;
      }
    return symbols;
  }
  const Array used = less(positions_below(M, d).reshape({1, M}), counts.to_device(d).reshape({batch, 1}));
  const Array given = chainer::where(used, t.astype(int64), constant(0, int64, d)).contiguous();
  Array checked({batch, M}, int64, d);
  d.backend().check_indices(check, given, checked);
  symbols.set({Slice(), Slice(1, 2 * M, 2)}, chainer::where(used, checked, constant(blank, int64, d)));
  return symbols;
}

}  // namespace

Variable ConnectionistTemporalClassification::operator()(const Variables& x, const Variable& t, int64_t blank_symbol,
                                                         const CtcOptions& options) const {
  if (x.empty()) throw ValueError("connectionist_temporal_classification: x has no time steps");
  return (*this)(stack(x), t, blank_symbol, options);
}

Variable ConnectionistTemporalClassification::operator()(const Variable& x, const Variable& t, int64_t blank_symbol,
                                                         const CtcOptions& options) const {
  if (are_narrow(x)) return (*this)(widened(x), t, blank_symbol, options);
  type_check::check("ConnectionistTemporalClassification", {x.array(), t.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "t"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].ndim() == 3, in[0].shape(0) > 0);
    expect(in[1].dtype().kind() == 'i', in[1].ndim() == 2, in[1].shape(0) == in[0].shape(1));
  });
  const int64_t vocabulary = x.shape()[2], M = t.shape()[1];
  if (blank_symbol < 0 || blank_symbol >= vocabulary)
    throw IndexError("connectionist_temporal_classification: blank_symbol ", blank_symbol, " is not in 0 ... ",
                     vocabulary - 1);
  const int64_t batch = x.shape()[1];
  const Array steps = array(lengths(options.input_length, batch, x.shape()[0], 1, "input_length"));
  const Array counts = array(lengths(options.label_length, batch, M, 0, "label_length"));
  CtcPaths p{blank_symbol, symbols_of(t.array(), counts, blank_symbol, vocabulary), steps, counts * 2 + 1};
  // In float32 at least: long sums of logarithms lose all digits in 16 bits.
  const Variable wide = x.dtype() == float16 || x.dtype() == bfloat16 ? cast(x, float32) : x;
  const Variable loss = cast(apply_single(CtcNode(std::move(p)), log_softmax(wide, 2)), x.dtype());
  return reduced(loss, options.reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
