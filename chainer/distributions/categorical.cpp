// SPDX-License-Identifier: MIT
#include "chainer/distributions/parameters.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer::distributions {
namespace {

// Picks the elements of `values` at the indices x along the last axis.
Variable picked(const Variable& values, const Variable& x, std::string_view method) {
  if (is_floating(x.dtype())) throw TypeError("Categorical: ", method, " needs integers, not ", x.dtype());
  const int64_t k = values.shape(-1), count = values.size() / k;
  const Shape batch(values.shape().begin(), values.shape().end() - 1);
  if (x.size() && (min(x.array()).item<int64_t>() < 0 || max(x.array()).item<int64_t>() >= k))
    throw IndexError("Categorical: ", method, " of values outside 0 ... ", k - 1, ": they range from ",
                     min(x.array()).item<int64_t>(), " to ", max(x.array()).item<int64_t>());
  const Shape shape = broadcast_shapes(x.shape(), batch, "Categorical");
  const Array which = broadcast_to(arange(count).reshape(batch), shape);
  return F::get_item(values.reshape({count, k}), {which.copy(), broadcast_to(x.array(), shape).copy()});
}

}  // namespace

Categorical::Categorical(const CategoricalOptions& o) : p(o.p) {
  if (static_cast<bool>(o.p) == static_cast<bool>(o.logit))
    throw ValueError("Categorical: either p or logit (not both) must have a value");
  Variable given = p ? p : o.logit;
  prepare("Categorical", {{p ? "p" : "logit", &given}});
  if (given.ndim() == 0 || given.shape(-1) == 0)
    throw DimensionError("Categorical: the last axis must have at least one probability, got shape ", given.shape());
  const ForceBackpropMode graph;  // this object keeps the graph, even if built in no_backprop_mode
  log_p = p ? guarded_log(p) : F::log_softmax(given, given.ndim() - 1);
  if (!p) p = F::exp(log_p);
}

Variable Categorical::sample_n(int64_t n) const {
  const int64_t k = p.shape(-1), count = p.size() / k;
  const std::vector<double> all = p.array().to_vector<double>();
  Arrays draws;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<double> one(all.begin() + i * k, all.begin() + (i + 1) * k);
    double total = 0;
    for (double q : one) total += q;
    for (double& q : one) q /= total;  // in float32 the sum may differ from 1
    draws.push_back(random::global().choice(k, {n}, true, one));
  }
  const Shape shape = with_samples(n, batch_shape());
  if (draws.empty()) return drawn(zeros(shape, int64), p);
  return drawn(stack(draws, 1).reshape(shape).astype(int64), p);
}

Variable Categorical::log_prob(const Variable& x) const { return picked(log_p, x, "log_prob"); }
Variable Categorical::prob(const Variable& x) const { return picked(p, x, "prob"); }

Variable Categorical::entropy() const { return -F::sum(xlogx(p), -1); }
Variable Categorical::mode() const { return Variable(argmax(p.array(), -1), false); }

Variable kl(const Categorical& p, const Categorical& q) {
  return F::sum(weighted_difference(p.p, p.log_p, q.log_p), -1);
}

}  // namespace chainer::distributions
