// SPDX-License-Identifier: MIT
#include "chainer/autograd/config.h"
#include "chainer/functions/util.h"
#include "chainer/links/attention/transformer_parts.h"

namespace chainer::links {

TransformerDecoder::TransformerDecoder(int64_t n, int64_t size, int64_t heads, const TransformerLayerOptions& layer,
                                       const TransformerOptions& o)
    : checkpoint_(o.checkpoint) {
  make_layers(*this, layers, n, size, heads, layer, o);
}

Variable TransformerDecoder::forward(const Variable& x, const Variable& memory, const TransformerContext& context) {
  if (!memory) throw TypeError("TransformerDecoder: the memory is an empty variable");
  std::vector<AttentionCache*> caches = all_of(context.caches, layers.size());
  for (AttentionCache* c : all_of(context.memory_caches, layers.size())) caches.push_back(c);
  const Variable y = keeping_lengths(caches, [&] { return through_layers(x, memory, context); });
  return norm ? (*norm)(y, 2) : y;
}

Variable TransformerDecoder::through_layers(const Variable& x, const Variable& memory,
                                            const TransformerContext& context) {
  Variable h = x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const AttentionContext c{.mask = context.mask,
                             .cache = cache_of(context.caches, i, layers.size()),
                             .memory_mask = context.memory_mask,
                             .memory_cache = cache_of(context.memory_caches, i, layers.size())};
    if (checkpoint_ && config().train && !c.cache && !c.memory_cache) {
      // The graph may outlive this link, so it shares the layer.
      const auto again = [layer = layers[i], c](const Variables& v) { return Variables{(*layer)(v[0], v[1], c)}; };
      h = functions::forget(again, {h, memory})[0];
    } else {
      h = (*layers[i])(h, memory, c);
    }
  }
  return h;
}

CHAINER_DEFINE_MEMBERS(TransformerDecoder, layers, norm)

}  // namespace chainer::links
