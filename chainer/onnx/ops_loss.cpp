// SPDX-License-Identifier: MIT
// Losses with integer labels.
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

// Returns negative elements of the log probabilities p (N, C, d...) at the labels t (N, d...), weighted by class and
// reduced.
Variable likelihood_loss(const Call& c, const Variable& p, const Array& labels, const Variable& weight) {
  const Array t = labels.astype(int64, false);
  if (p.ndim() < 2 || t.ndim() != p.ndim() - 1)
    c.fail("labels of shape ", t.shape(), " for scores of shape ", p.shape());
  const int64_t classes = p.shape(1);
  const Array counted = c.contains("ignore_index") ? t != c.integer("ignore_index") : ones(t.shape(), bool_);
  const Array safe = chainer::where(counted, t, zeros_like(t));
  if (safe.size() && (min(safe).item<int64_t>() < 0 || max(safe).item<int64_t>() >= classes))
    c.fail("labels from ", min(safe).item<int64_t>(), " to ", max(safe).item<int64_t>(), " for ", classes, " classes");
  Indices indices;
  for (int d = 0; d < p.ndim(); ++d) {
    if (d == 1) {
      indices.push_back(safe);
      continue;
    }
    const int at = d == 0 ? 0 : d - 1;
    Shape along = Shape(Dims::filled(t.ndim(), 1));
    along[at] = t.shape()[at];
    indices.push_back(arange(t.shape()[at]).reshape(along));
  }
  Variable factors(counted.astype(p.dtype()), false);
  if (weight) factors = factors * F::get_item(weight, {safe});
  const Variable loss = -F::get_item(p, indices) * factors;
  const std::string reduction = c.text("reduction", "mean");
  if (reduction == "none") return loss;
  if (reduction == "sum") return F::sum(loss);
  if (reduction != "mean") c.fail("unknown reduction '", reduction, "'");
  return F::sum(loss) / F::sum(factors);
}

Variables negative_log_likelihood(const Call& c) {
  return {likelihood_loss(c, c[0], c.array(1), c.has(2) ? c[2] : Variable())};
}
Variables softmax_cross_entropy(const Call& c) {
  const Variable p = F::log_softmax(c[0], 1);
  return {likelihood_loss(c, p, c.array(1), c.has(2) ? c[2] : Variable()), p};
}

constexpr Operator kOperators[] = {
    {"NegativeLogLikelihoodLoss", 12, negative_log_likelihood},
    {"SoftmaxCrossEntropyLoss", 12, softmax_cross_entropy},
};

}  // namespace

std::span<const Operator> loss_operators() { return kOperators; }

}  // namespace chainer::onnx
