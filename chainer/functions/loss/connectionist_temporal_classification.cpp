#include <cmath>
#include <limits>

#include "chainer/autograd/function_node.h"
#include "chainer/backend/cpu/parallel.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/functions/activation.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double top = std::max(a, b);
  return top == -kInf ? top : top + std::log1p(std::exp(-std::abs(a - b)));
}

// The labels with blanks between, before and behind them, and what of it counts.
struct Paths {
  int64_t blank = 0, batch = 0, steps = 0, width = 0;
  Array symbols;  // (batch, width), int64; 0 behind a path's end
  std::vector<int64_t> input_length, path_length;
  int64_t at(int64_t b, int64_t s) const { return symbols.data<int64_t>()[b * width + s]; }
  // Whether a path may go to s from s - 2: over a blank, between different labels.
  bool skips(int64_t b, int64_t s) const { return s >= 2 && at(b, s) != blank && at(b, s) != at(b, s - 2); }
};

// -log of the summed probability of all paths, from the log probabilities e (steps, batch, width) of their symbols.
// forward and the first gradient run over plain loops, each item of the batch on its own; a gradient that needs a
// graph goes through `unrolled`.
struct CtcNode : FunctionNode {
  explicit CtcNode(Paths p) : paths(std::move(p)) {}
  std::string label() const override { return "ConnectionistTemporalClassification"; }

  // alpha[t][s]: all ways to be at s after step t (with `reverse`: from there to the end, its own symbol left out).
  void walk(const double* e, int64_t b, bool reverse, std::vector<double>& alpha) const {
    const int64_t T = paths.input_length[static_cast<std::size_t>(b)],
                  L = paths.path_length[static_cast<std::size_t>(b)];
    const auto emission = [&](int64_t t, int64_t s) { return e[(t * paths.batch + b) * paths.width + s]; };
    const auto at = [&](int64_t t, int64_t s) -> double& { return alpha[static_cast<std::size_t>(t * L + s)]; };
    alpha.assign(static_cast<std::size_t>(T * L), -kInf);
    if (!reverse) {
      for (int64_t s = 0; s < std::min<int64_t>(2, L); ++s) at(0, s) = emission(0, s);
      for (int64_t t = 1; t < T; ++t) {
        for (int64_t s = 0; s < L; ++s) {
          double sum = at(t - 1, s);
          if (s >= 1) sum = log_add(sum, at(t - 1, s - 1));
          if (paths.skips(b, s)) sum = log_add(sum, at(t - 1, s - 2));
          at(t, s) = sum + emission(t, s);
        }
      }
    } else {
      for (int64_t s = std::max<int64_t>(0, L - 2); s < L; ++s) at(T - 1, s) = 0;
      for (int64_t t = T - 2; t >= 0; --t) {
        for (int64_t s = 0; s < L; ++s) {
          double sum = at(t + 1, s) + emission(t + 1, s);
          if (s + 1 < L) sum = log_add(sum, at(t + 1, s + 1) + emission(t + 1, s + 1));
          if (s + 2 < L && paths.skips(b, s + 2)) sum = log_add(sum, at(t + 1, s + 2) + emission(t + 1, s + 2));
          at(t, s) = sum;
        }
      }
    }
  }
  static double total(const std::vector<double>& alpha, int64_t L) {
    return L > 1 ? log_add(alpha.back(), alpha[alpha.size() - 2]) : alpha.back();
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    const Array e = in[0].astype(float64, false).copy();
    Array loss({paths.batch}, float64);
    const double* p = e.data<double>();
    double* out = loss.mutable_data<double>();
    cpu::parallel_ranges(paths.batch, e.size() * 32, 1, [&](int64_t begin, int64_t end) {
      std::vector<double> alpha;
      for (int64_t b = begin; b < end; ++b) {
        walk(p, b, false, alpha);
        out[b] = -total(alpha, paths.path_length[static_cast<std::size_t>(b)]);
      }
    });
    return {loss.astype(in[0].dtype(), false)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable e = retained_input(0);
    if (config().enable_backprop) return grad({unrolled(e)}, {e}, {.grad_outputs = gy, .enable_double_backprop = true});
    const Array values = e.array().astype(float64, false).copy(), weights = gy[0].array().astype(float64);
    Array ge = zeros(e.shape(), float64);
    const double *p = values.data<double>(), *weight = weights.data<double>();
    double* out = ge.mutable_data<double>();
    cpu::parallel_ranges(paths.batch, values.size() * 64, 1, [&](int64_t begin, int64_t end) {
      std::vector<double> alpha, beta;
      for (int64_t b = begin; b < end; ++b) {
        const int64_t L = paths.path_length[static_cast<std::size_t>(b)];
        walk(p, b, false, alpha);
        walk(p, b, true, beta);
        const double all = total(alpha, L);
        if (all == -kInf) continue;  // no path fits: there is no way to go
        for (std::size_t i = 0; i < alpha.size(); ++i) {
          const int64_t t = static_cast<int64_t>(i) / L, s = static_cast<int64_t>(i) % L;
          out[(t * paths.batch + b) * paths.width + s] = -weight[b] * std::exp(alpha[i] + beta[i] - all);
        }
      }
    });
    return {Variable(ge.astype(e.dtype(), false), false)};
  }

  // The same in functions on variables, one step of the recurrence after the other. Impossible is a large negative
  // number here, which has gradients.
  Variable unrolled(const Variable& e) const {
    const double kNever = e.dtype() == float16 ? -1e4 : -1e30;
    const int64_t B = paths.batch, W = paths.width;
    const auto constant = [&](const Shape& s) { return Variable(full(s, kNever, e.dtype()), false); };
    Array start = full({B, W}, kNever, e.dtype()), skip = full({B, W}, kNever, e.dtype());
    Array last = full({B, W}, kNever, e.dtype()), possible({B}, bool_);
    for (int64_t b = 0; b < B; ++b) {
      const int64_t L = paths.path_length[static_cast<std::size_t>(b)];
      for (int64_t s = 0; s < std::min<int64_t>(2, L); ++s) start.set({b, s}, 0), last.set({b, L - 1 - s}, 0);
      for (int64_t s = 2; s < L; ++s)
        if (paths.skips(b, s)) skip.set({b, s}, 0);
    }
    const Array length = array(paths.input_length).reshape({B, 1});
    Variable alpha = pick(e, 0, 0) + start;
    for (int64_t t = 1; t < paths.steps; ++t) {
      Variables ways = {alpha, concat({constant({B, 1}), pick(alpha, Slice(0, W - 1), 1)}, 1)};
      if (W > 2) ways.push_back(concat({constant({B, 2}), pick(alpha, Slice(0, W - 2), 1)}, 1) + skip);
      alpha = where(Variable(greater(length, t), false), logsumexp(stack(ways), 0) + pick(e, t, 0), alpha);
    }
    const Variable loss = -logsumexp(alpha + last, 1);
    return where(Variable(less(loss.array(), -kNever / 2), false), loss,
                 Variable(full_like(loss.array(), kInf), false));
  }

  Paths paths;
};

std::vector<int64_t> lengths(const Array& given, int64_t batch, int64_t most, int64_t least, const char* what) {
  if (!given) return std::vector<int64_t>(static_cast<std::size_t>(batch), most);
  if (given.ndim() != 1 || given.size() != batch || is_floating(given.dtype()))
    throw ValueError("connectionist_temporal_classification: ", what, " must be ", batch, " integers, it is ",
                     given.dtype(), " of shape ", given.shape());
  const std::vector<int64_t> out = given.to_vector<int64_t>();
  for (std::size_t b = 0; b < out.size(); ++b)
    if (out[b] < least || out[b] > most)
      throw ValueError("connectionist_temporal_classification: ", what, " ", out[b], " at position ", b, " is not in ",
                       least, " ... ", most);
  return out;
}

}  // namespace

Variable ConnectionistTemporalClassification::operator()(const Variables& x, const Variable& t, int64_t blank_symbol,
                                                         const CtcOptions& options) const {
  if (x.empty()) throw ValueError("connectionist_temporal_classification: x has no time steps");
  return (*this)(stack(x), t, blank_symbol, options);
}

Variable ConnectionistTemporalClassification::operator()(const Variable& x, const Variable& t, int64_t blank_symbol,
                                                         const CtcOptions& options) const {
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
  Paths p{blank_symbol, x.shape()[1], x.shape()[0], 2 * M + 1, {}, {}, {}};
  p.input_length = lengths(options.input_length, p.batch, p.steps, 1, "input_length");
  p.path_length = lengths(options.label_length, p.batch, M, 0, "label_length");
  p.symbols = full({p.batch, p.width}, blank_symbol, int64);
  const std::vector<int64_t> labels = t.array().to_vector<int64_t>();
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t i = 0; i < p.path_length[static_cast<std::size_t>(b)]; ++i) {
      const int64_t label = labels[static_cast<std::size_t>(b * M + i)];
      if (label < 0 || label >= vocabulary)
        throw IndexError("connectionist_temporal_classification: label ", label, " at position (", b, ", ", i,
                         ") is not in 0 ... ", vocabulary - 1);
      p.symbols.mutable_data<int64_t>()[b * p.width + 2 * i + 1] = label;
    }
  }
  for (int64_t& n : p.path_length) n = 2 * n + 1;
  // In float32 at least: long sums of logarithms leave no digits in 16 bits.
  const Variable wide = x.dtype() == float16 || x.dtype() == bfloat16 ? cast(x, float32) : x;
  const Variable e = get_item(log_softmax(wide, 2),
                              {arange(p.steps).reshape({-1, 1, 1}), arange(p.batch).reshape({-1, 1}), p.symbols});
  const Variable loss = cast(apply_single(CtcNode(std::move(p)), e), x.dtype());
  return reduced(loss, options.reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
