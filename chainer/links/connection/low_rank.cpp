// SPDX-License-Identifier: MIT
#include "chainer/functions/connection.h"
#include "chainer/functions/noise.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/connection.h"
#include "chainer/links/parameter_hooks.h"
#include "chainer/links/quantized_weight.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/linalg.h"

namespace chainer::links {
namespace {

Variable constant(const chainer::Parameter& p) { return Variable(p.array(), false); }

// Whether a hook adapts the weight, which is a constant for it as well. Throws for hooks that compute with the weight.
bool adapted(const Linear& link) {
  bool any = false;
  for (const auto& [name, hook] : link.local_link_hooks()) {
    const auto* const h = dynamic_cast<const link_hooks::ParameterHook*>(hook.get());
    if (h && !h->allows_quantized(link))
      throw RuntimeError("LowRank: the hook '", name,
                         "' of `linear` computes with the weight, which is constant here; delete it");
    any = any || h;
  }
  return any;
}

}  // namespace

LowRank::LowRank(Linear of, int64_t rank, const LowRankOptions& o)
    : linear(std::move(of)),
      down(o.initial_down.value_or(initializers::LeCunNormal())),
      up(o.initial_up.value_or(0.0)),
      scale_(o.alpha.value_or(static_cast<double>(rank)) / static_cast<double>(rank)),
      dropout_(o.dropout),
      rank_(rank) {
  if (rank < 1) throw ValueError("LowRank: the rank must be positive, not ", rank);
  if (linear.W.is_initialized() || linear.quantized()) initialize();
}

void LowRank::initialize() {
  const QuantizedMatrix& q = linear.quantized();
  down.initialize({rank_, q ? q.columns : linear.W.array().shape(1)});
  up.initialize({linear.out_size(), rank_});
}

Variable LowRank::forward(const Variable& x, int64_t n_batch_axes) {
  namespace F = functions;
  const QuantizedMatrix& q = linear.quantized();
  if (!linear.W.is_initialized() && !q) {
    int64_t size = 1;
    for (int64_t i = n_batch_axes; i < x.ndim(); ++i) size *= x.shape()[i];
    linear.W.initialize({linear.out_size(), size});
  }
  if (!down.is_initialized()) initialize();
  const Variable b = linear.b ? constant(*linear.b) : Variable();
  Variable y;
  if (q)
    y = quantized_functions.load()->linear(x, q, b, n_batch_axes);
  else if (adapted(linear))
    y = linear(x, n_batch_axes);
  else
    y = F::linear(x, constant(linear.W), b, {.n_batch_axes = n_batch_axes});
  if (is_merged()) return y;
  const Variable few = F::linear(F::dropout(x, dropout_), down, {}, {.n_batch_axes = n_batch_axes});
  return y + F::linear(few, up, {}, {.n_batch_axes = few.ndim() - 1}) * scale_;
}

void LowRank::check_is_float() const {
  if (linear.quantized())
    throw RuntimeError("LowRank: a weight of ", linear.quantized().bits, " bits can be neither merged nor unmerged");
}

void LowRank::merge() {
  if (is_merged()) throw RuntimeError("LowRank: the weights are merged already");
  if (!down.is_initialized()) throw RuntimeError("LowRank: the sizes are unknown before the first call");
  check_is_float();
  original_ = linear.W.array();
  linear.W.set_array(original_ + matmul(up.array(), down.array()) * scale_);
}

void LowRank::unmerge() {
  if (!is_merged()) throw RuntimeError("LowRank: the weights are not merged");
  check_is_float();
  linear.W.set_array(original_);
  original_ = Array();
}

void LowRank::serialize(Serializer& s) {
  if (is_merged())
    throw RuntimeError(
        "LowRank: merged weights cannot be told from others in a file; call unmerge(), or save `linear`");
  Chain::serialize(s);
}

CHAINER_DEFINE_MEMBERS(LowRank, linear, down, up)

}  // namespace chainer::links
