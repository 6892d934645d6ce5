// SPDX-License-Identifier: MIT
#include "chainer/autograd/config.h"
#include "chainer/functions/util.h"
#include "chainer/links/attention/transformer_parts.h"

namespace chainer::links {

TransformerEncoder::TransformerEncoder(int64_t n, int64_t size, int64_t heads, const TransformerLayerOptions& layer,
                                       const TransformerOptions& o)
    : checkpoint_(o.checkpoint) {
  make_layers(*this, layers, n, size, heads, layer, o);
}

Variable TransformerEncoder::forward(const Variable& x, const TransformerContext& context) {
  const Variable y = keeping_lengths(all_of(context.caches, layers.size()), [&] { return through_layers(x, context); });
  return norm ? (*norm)(y, 2) : y;
}

Variable TransformerEncoder::through_layers(const Variable& x, const TransformerContext& context) {
  Variable h = x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const AttentionContext c{.mask = context.mask, .cache = cache_of(context.caches, i, layers.size())};
    if (checkpoint_ && config().train && !c.cache)  // the graph may outlive this link, so it shares the layer
      h = functions::forget([layer = layers[i], c](const Variable& v) { return (*layer)(v, c); }, h);
    else
      h = (*layers[i])(h, c);
  }
  return h;
}

CHAINER_DEFINE_MEMBERS(TransformerEncoder, layers, norm)

}  // namespace chainer::links
