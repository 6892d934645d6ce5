#include <cmath>
#include <limits>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/backend/common/host_math.h"
#include "chainer/core/parallel.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNever = -1e30;  // the logarithm of an impossibility, with which one can still calculate

// The labels with blanks between, before and behind them, and what of it counts.
struct Paths {
  int64_t blank = 0, batch = 0, steps = 0, width = 0;
  Array symbols;  // (batch, width), int64; 0 behind a path's end
  std::vector<int64_t> input_length, path_length;
  int64_t at(int64_t b, int64_t s) const { return symbols.data<int64_t>()[b * width + s]; }
  // Whether a path may go to s from s - 2: over a blank, between different labels.
  bool skips(int64_t b, int64_t s) const { return s >= 2 && at(b, s) != blank && at(b, s) != at(b, s - 2); }
};

// The recurrences of one item of the batch, on plain numbers. Rows lie between two impossible elements on each side.
class Lattice {
 public:
  Lattice(const Paths& p, int64_t b)
      : steps_(p.input_length[static_cast<std::size_t>(b)]),
        length_(p.path_length[static_cast<std::size_t>(b)]),
        symbols_(p.symbols.data<int64_t>() + b * p.width),
        skip_(static_cast<std::size_t>(length_ + 2), kNever),
        block_(static_cast<std::size_t>(3 * length_)),
        top_(static_cast<std::size_t>(length_)) {
    for (int64_t s = 2; s < length_; ++s)
      if (p.skips(b, s)) skip_[static_cast<std::size_t>(s)] = 0;
  }
  /// All ways to each symbol after each step; x are log probabilities (steps, vocabulary), `stride` from step to step.
  double forward(const double* x, int64_t stride, std::vector<double>& alpha) {
    alpha.assign(static_cast<std::size_t>(steps_ * pitch()), kNever);
    for (int64_t t = 0; t < steps_; ++t) {
      double* now = row(alpha, t);
      if (t == 0) {
        for (int64_t s = 0; s < std::min<int64_t>(2, length_); ++s) now[s] = 0;
      } else {
        const double* before = row(alpha, t - 1);
        add_ways(before, before - 1, before - 2, skip_.data(), now);
      }
      for (int64_t s = 0; s < length_; ++s) now[s] += emission(x, stride, t, s);
    }
    const double* end = row(alpha, steps_ - 1) + length_ - 2;  // the last label or the blank behind it
    const double a = length_ > 1 ? end[0] : kNever, b = end[1], top = std::max(a, b);
    return top + std::log(std::exp(a - top) + std::exp(b - top));
  }
  /// gx -= weight times the probability of each symbol at each step, given the labels.
  void backward(const double* x, int64_t stride, std::vector<double>& alpha, double total, double weight, double* gx) {
    std::vector<double> beta(static_cast<std::size_t>(length_)), next(static_cast<std::size_t>(pitch()), kNever);
    for (int64_t s = 0; s < length_; ++s) beta[static_cast<std::size_t>(s)] = s < length_ - 2 ? kNever : 0;
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      const double* now = row(alpha, t);
      for (int64_t s = 0; s < length_; ++s)
        block_[static_cast<std::size_t>(s)] = now[s] + beta[static_cast<std::size_t>(s)] - total;
      host_math::exp(block_.data(), length_);
      for (int64_t s = 0; s < length_; ++s)
        gx[t * stride + symbols_[s]] -= weight * block_[static_cast<std::size_t>(s)];
      double* ahead = next.data() + 2;
      for (int64_t s = 0; s < length_; ++s) ahead[s] = beta[static_cast<std::size_t>(s)] + emission(x, stride, t, s);
      if (t) add_ways(ahead, ahead + 1, ahead + 2, skip_.data() + 2, beta.data());
    }
  }

 private:
  double emission(const double* x, int64_t stride, int64_t t, int64_t s) const {
    return std::max(x[t * stride + symbols_[s]], kNever);  // also of logits that were set to minus infinity
  }
  int64_t pitch() const { return length_ + 4; }
  double* row(std::vector<double>& v, int64_t t) const { return v.data() + t * pitch() + 2; }
  // out = log(exp(a) + exp(b) + exp(c + penalty)), relative to the largest
  void add_ways(const double* a, const double* b, const double* c, const double* penalty, double* out) {
    double *d = block_.data(), *top = top_.data();
    const int64_t n = length_;
    for (int64_t s = 0; s < n; ++s) {
      const double z = c[s] + penalty[s], m = std::max(std::max(a[s], b[s]), z);
      top[s] = m, d[s] = a[s] - m, d[n + s] = b[s] - m, d[2 * n + s] = z - m;
    }
    host_math::exp(d, 3 * n);
    for (int64_t s = 0; s < n; ++s) d[s] += d[n + s] + d[2 * n + s];
    host_math::log(d, n);
    for (int64_t s = 0; s < n; ++s) out[s] = top[s] + d[s];
  }

  int64_t steps_, length_;
  const int64_t* symbols_;
  std::vector<double> skip_, block_, top_;
};

// -log of the summed probability of all paths, from log probabilities (steps, batch, vocabulary). forward and the first
// gradient run on plain numbers, each item of the batch on its own; a gradient that needs a graph goes through
// `unrolled`.
struct CtcNode : FunctionNode {
  explicit CtcNode(Paths p) : paths(std::move(p)) {}
  std::string label() const override { return "ConnectionistTemporalClassification"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    const Array x = dense(to_host(in[0]), float64);
    const int64_t vocabulary = x.shape()[2];
    Array loss({paths.batch}, float64);
    const double* p = x.data<double>();
    double* out = loss.mutable_data<double>();
    alphas.resize(static_cast<std::size_t>(paths.batch));
    totals.resize(alphas.size());
    cpu::parallel_ranges(paths.batch, x.size(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const auto k = static_cast<std::size_t>(b);
        totals[k] = Lattice(paths, b).forward(p + b * vocabulary, paths.batch * vocabulary, alphas[k]);
        out[b] = totals[k] < kNever / 2 ? kInf : -totals[k];
      }
    });
    return {loss.astype(in[0].dtype(), false).to_device(in[0].device())};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable x = retained_input(0);
    if (config().enable_backprop)
      return partial_gradients([&](const Variables& in) { return Variables{unrolled(in[0])}; }, {x}, wanted, gy);
    const Array values = dense(to_host(x.array()), float64), weights = dense(to_host(gy[0].array()), float64);
    const int64_t vocabulary = x.shape()[2];
    Array gx = zeros(x.shape(), float64);
    const double *p = values.data<double>(), *weight = weights.data<double>();
    double* out = gx.mutable_data<double>();
    cpu::parallel_ranges(paths.batch, values.size(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const auto k = static_cast<std::size_t>(b);
        if (totals[k] < kNever / 2) continue;  // no path fits: there is no way to go
        Lattice(paths, b).backward(p + b * vocabulary, paths.batch * vocabulary, alphas[k], totals[k], weight[b],
                                   out + b * vocabulary);
      }
    });
    return {Variable(gx.astype(x.dtype(), false).to_device(x.device()), false)};
  }

  // The same in functions on variables, one step of the recurrence after the other.
  Variable unrolled(const Variable& x) const {
    const Variable e = clip(
        get_item(x, {arange(paths.steps).reshape({-1, 1, 1}), arange(paths.batch).reshape({-1, 1}), paths.symbols}),
        kNever, kInf);
    const int64_t B = paths.batch, W = paths.width;
    const auto constant = [&](const Shape& s) { return Variable(full(s, kNever, e.dtype(), e.device()), false); };
    Array start = full({B, W}, kNever, e.dtype()), skip = full({B, W}, kNever, e.dtype());  // made on the host
    Array last = full({B, W}, kNever, e.dtype());
    for (int64_t b = 0; b < B; ++b) {
      const int64_t L = paths.path_length[static_cast<std::size_t>(b)];
      for (int64_t s = 0; s < std::min<int64_t>(2, L); ++s) start.set({b, s}, 0), last.set({b, L - 1 - s}, 0);
      for (int64_t s = 2; s < L; ++s)
        if (paths.skips(b, s)) skip.set({b, s}, 0);
    }
    const Array length = array(paths.input_length).reshape({B, 1}).to_device(e.device());
    Variable alpha = pick(e, 0, 0) + start.to_device(e.device());
    skip = skip.to_device(e.device());
    last = last.to_device(e.device());
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
  std::vector<std::vector<double>> alphas;  // of each item, for backward
  std::vector<double> totals;
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
  const Variable loss = cast(apply_single(CtcNode(std::move(p)), log_softmax(wide, 2)), x.dtype());
  return reduced(loss, options.reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
