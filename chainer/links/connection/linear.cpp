// SPDX-License-Identifier: MIT
#include "chainer/functions/connection.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/connection.h"
#include "chainer/links/quantized_weight.h"

namespace chainer::links {

Linear::Linear(std::optional<int64_t> in_size, int64_t out_size, const LinearOptions& o)
    : W(o.initialW.value_or(initializers::LeCunNormal())), out_size_(out_size) {
  if (in_size) W.initialize({out_size, *in_size});
  if (!o.nobias) b.emplace(o.initial_bias.value_or(0.0), Shape{out_size});
}

Variable Linear::forward(const Variable& x, int64_t n_batch_axes) {
  if (quantized_)
    return quantized_functions.load()->linear(x, quantized_, b ? b->variable() : Variable(), n_batch_axes);
  if (!W.is_initialized()) {
    int64_t in = 1;
    for (int64_t i = n_batch_axes; i < x.ndim(); ++i) in *= x.shape()[i];
    W.initialize({out_size_, in});
  }
  return functions::linear(x, W, b ? b->variable() : Variable(), {.n_batch_axes = n_batch_axes});
}

void Linear::quantize(const QuantizeOptions& o) { quantized_ = quantized_weight(*this, W, quantized_, o); }

void Linear::visit(MemberVisitor& v) {
  visit_weight(v, W, quantized_);
  if (b) v.param("b", *b);
  visit_added(v);
}
CHAINER_DEFINE_LINK(Linear, W, b)

}  // namespace chainer::links
