// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/connection.h"
#include "chainer/links/quantized_weight.h"

namespace chainer::links {

EmbedID::EmbedID(int64_t in_size, int64_t out_size, const EmbedIDOptions& o)
    : W(o.initialW.value_or(initializers::Normal(1.0)), Shape{in_size, out_size}), ignore_label_(o.ignore_label) {}

Variable EmbedID::forward(const Variable& x) {
  if (!quantized_) return functions::embed_id(x, W, {.ignore_label = ignore_label_});
  const Variable rows = quantized_functions.load()->rows(x, quantized_, ignore_label_);
  return rows.dtype() == quantized_.dtype ? rows : functions::cast(rows, quantized_.dtype);
}

Variable EmbedID::scores(const Variable& x) {
  if (quantized_) return quantized_functions.load()->linear(x, quantized_, {}, x.ndim() - 1);
  const auto product = [&] { return functions::linear(x, W, Variable(), x.ndim() - 1); };
  if (!LinkCall::hooked(*this)) return product();
  LinkCall call(*this, {x}, {LinkArgument(x)});  // hooks may replace W
  const Variable y = product();
  call.finish({y}, LinkArgument(y));
  return y;
}

void EmbedID::quantize(const QuantizeOptions& o) { quantized_ = quantized_weight(*this, W, quantized_, o); }

void EmbedID::visit(MemberVisitor& v) {
  visit_weight(v, W, quantized_);
  visit_added(v);
}
CHAINER_DEFINE_LINK(EmbedID, W)

}  // namespace chainer::links
