// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization/normalize_batch.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/operations/batch_factors.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/autograd/repeated_state.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization/key_order.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

// The factors r and d of batch renormalization for each key, in the expanded shape; empty without renormalization.
struct Correction {
  Array r, d;
};

// Built of differentiable functions: used for gradients that need a graph.
Variable composed(const Variable& x, const Variable& gamma, const Variable& beta, const NormalizeBatchOptions& o,
                  const Shape& expanded, const Correction& fixed) {
  const Dtype d = compute_dtype(x.dtype());
  const Variable wide = cast(x, d), centered = wide - mean(wide, o.averaged, {.keepdims = true});
  Variable normalized = centered * rsqrt(mean(square(centered), o.averaged, {.keepdims = true}) + o.eps);
  if (fixed.r) normalized = normalized * fixed.r.astype(d) + fixed.d.astype(d);
  return cast(normalized * reshape(cast(gamma, d), expanded) + reshape(cast(beta, d), expanded), x.dtype());
}

// The dtype in which the backend reads x: 16 bits are converted beforehand only for other devices than the host.
Dtype read_as(const Array& x) { return x.device().is_host() ? x.dtype() : compute_dtype(x.dtype()); }

struct NormalizeBatchNode : FunctionNode {
  NormalizeBatchNode(const char* l, const NormalizeBatchOptions& o, const Array& x)
      : name(l), options(o), order(x, o.averaged) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::any_mix; }
  std::string label() const override { return name; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1, 2});
    const Dtype d = compute_dtype(in[0].dtype());
    const Array x = order.take(in[0], read_as(in[0]));
    average = Array({order.keys()}, float64, x.device());
    if (x.size() == 0) return {Array(in[0].shape(), in[0].dtype(), x.device())};
    const Array gamma = in[1].ravel();
    BatchFactors f{x, gamma, options.eps, options.decay, {}, {}, average, {}, {}};
    f.rstd = Array({order.keys()}, float64, x.device());
    f.scale = Array({order.keys()}, options.renormalization ? float64 : d, x.device());
    if (options.update && !options.renormalization)
      f.running_mean = options.running_mean, f.running_var = options.running_var;
    x.device().backend().batch_factors(f);
    rstd = f.rstd;
    Array scale = f.scale, shift = in[2].ravel();
    if (options.renormalization) {
      correct();
      shift = shift.astype(float64) + gamma.astype(float64) * fixed.d;
      scale = scale * fixed.r;
      update_running();
    }
    // A deferred elementwise operation: an activation that follows runs in the same pass.
    const auto wide = [&](const Array& keys) { return keys.astype(d).reshape(order.expanded()); };
    const Array centered = order.restore(x) - wide(average);
    const Array y = ternary(Elementwise::multiply_add, centered, wide(scale), wide(shift));
    return {y.astype(in[0].dtype(), false)};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const auto inputs = retained_inputs<3>();
    const Variable &x = inputs[0], &gamma = inputs[1], &beta = inputs[2];
    if (config().enable_backprop || x.size() == 0) {
      const Correction expanded{fixed.r ? fixed.r.reshape(order.expanded()) : fixed.r,
                                fixed.r ? fixed.d.reshape(order.expanded()) : fixed.d};
      return partial_gradients(
          [&](const Variables& in) {
            return Variables{composed(in[0], in[1], in[2], options, order.expanded(), expanded)};
          },
          {x, gamma, beta}, wanted, gy);
    }
    const Dtype d = read_as(x.array());
    const Array xs = order.take(x.array(), d), g = order.take(gy[0].array(), d);
    Backend& backend = xs.device().backend();
    Array gx(xs.shape(), d, xs.device());
    const auto grads = [&](const Array& ggamma, const Array& gbeta) {
      const auto as_key = [&](const Array& a) {
        return Variable(a.astype(gamma.dtype(), false).reshape(gamma.shape()), false);
      };
      return Variables{Variable(order.restore(gx.astype(x.dtype(), false)), false), as_key(ggamma), as_key(gbeta)};
    };
    const Shape keys{order.keys()};
    if (!fixed.r) {
      Array ggamma(keys, gamma.dtype(), xs.device()), gbeta(keys, gamma.dtype(), xs.device());
      backend.batch_gradients(g, xs, average, rstd, gamma.array().ravel(), gx, ggamma, gbeta);
      return grads(ggamma, gbeta);
    }
    Array total(keys, float64, xs.device()), along(keys, float64, xs.device());
    backend.moments_grad(g, xs, average, total, along);
    const Array slope = gamma.array().astype(float64).ravel() * rstd * fixed.r;
    const double share = 1 / static_cast<double>(order.averaged());
    backend.centered_combination(g, xs, average, slope, total * share, slope * rstd * rstd * along * share, gx);
    return grads(along * rstd * fixed.r + total * fixed.d, total);
  }

 private:
  // Sets r and d, which undo part of the difference between this batch and the running statistics.
  void correct() {
    const auto [rmax, dmax] = *options.renormalization;
    const Arrays both = StateRecord::get([&, rmax = rmax, dmax = dmax] {
      const Array sigma = chainer::sqrt(options.running_var.astype(float64).ravel() + options.eps);
      const Array offset = average - options.running_mean.astype(float64).ravel();
      return Arrays{chainer::clip(reciprocal(rstd) / sigma, 1 / rmax, rmax),
                    chainer::clip(offset / sigma, -dmax, dmax)};
    });
    fixed = {both[0], both[1]};
  }
  // With renormalization eps is a part of the variance, as in the reference release.
  Array batch_variance() const {
    const double m = static_cast<double>(order.averaged());
    return reciprocal(rstd * rstd) * (m / std::max(m - 1, 1.0));
  }
  void update_running() {
    if (!options.update || !options.running_mean) return;
    const auto blend = [&](Array& running, const Array& now) {
      running *= options.decay;
      running += (now * (1 - options.decay)).astype(running.dtype()).reshape(running.shape());
    };
    blend(options.running_mean, average);
    blend(options.running_var, batch_variance());
  }

  std::string name;
  NormalizeBatchOptions options;
  KeyOrder order;
  Array average, rstd;
  Correction fixed;
};

}  // namespace

Variable normalize_batch(const char* label, const Variable& x, const Variable& gamma, const Variable& beta,
                         const NormalizeBatchOptions& o) {
  if (static_cast<bool>(o.running_mean) != static_cast<bool>(o.running_var))
    throw ValueError(label, ": running_mean and running_var must be given together, one of them is missing");
  for (const Array* running : {&o.running_mean, &o.running_var})
    if (*running && running->shape() != gamma.shape())
      throw DimensionError(label, ": running statistics must have gamma's shape ", gamma.shape(), ", not ",
                           running->shape());
  const auto is_elsewhere = [&](const Array& running) { return running && running.device() != x.device(); };
  if (!is_elsewhere(o.running_mean) && !is_elsewhere(o.running_var))
    return apply_single(NormalizeBatchNode(label, o, x.array()), x, gamma, beta);
  NormalizeBatchOptions there = o;  // with statistics on the device of x
  for (Array* running : {&there.running_mean, &there.running_var})
    if (*running) *running = running->to_device(x.device());
  const Variable y = apply_single(NormalizeBatchNode(label, there, x.array()), x, gamma, beta);
  if (o.update)
    for (auto [running, updated] : {std::pair{o.running_mean, there.running_mean}, {o.running_var, there.running_var}})
      if (running && !running.is(updated)) copy_elements(updated, running);
  return y;
}

Dims averaged_axes(const char* label, const Arrays& inputs, const Axes& axis) {
  const int ndim = inputs[0].ndim(), keys = inputs[1].ndim();
  Dims averaged;
  if (axis.given()) {
    for (int64_t d : axis.list()) {
      const int64_t a = normalize_axis(d, ndim, label);
      if (!averaged.empty() && a <= averaged.back())
        throw ValueError(label, ": the numbers in axis must ascend, not ", axis.list());
      averaged.push_back(a);
    }
  } else {
    averaged.push_back(0);
    for (int d = keys + 1; d < ndim; ++d) averaged.push_back(d);
  }
  type_check::check(label, inputs, [&](const type_check::TypeInfos& in) {
    in.names({"x", "gamma", "beta", "mean", "var"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
    // In mixed precision, parameters and statistics are in float32.
    const int64_t like = is_narrow_in_mixed_precision(inputs[0]) ? 1 : 0;
    for (int64_t i = 1; i < static_cast<int64_t>(in.count()); ++i)
      expect(in[i].dtype() == in[like].dtype(), in[i].shape() == in[1].shape());
    expect(in[0].ndim() >= averaged.ndim() + in[1].ndim());
    int key = 0;
    for (int d = 0; d < ndim; ++d)
      if (std::find(averaged.begin(), averaged.end(), d) == averaged.end()) {
        expect(in[1].ndim() > key);
        expect(in[0].shape(d) == in[1].shape(key++));
      }
  });
  return averaged;
}

}  // namespace chainer::functions
