// SPDX-License-Identifier: MIT
#include "chainer/links/attention/transformer_parts.h"

namespace chainer::links {

TransformerDecoderLayer::TransformerDecoderLayer(int64_t size, int64_t heads, const TransformerLayerOptions& o)
    : attention(size, heads,
                {.kv_heads = o.kv_heads, .causal = true, .dropout = o.dropout, .nobias = o.nobias, .rotary = o.rotary}),
      memory_attention(size, heads, {.dropout = o.dropout, .nobias = o.nobias}),
      linear1(size, o.feedforward.value_or(4 * size), {.nobias = o.nobias}),
      linear2(std::nullopt, size, {.nobias = o.nobias}),
      norm1(size, {.eps = o.eps}),
      norm2(size, {.eps = o.eps}),
      norm3(size, {.eps = o.eps}),
      activation_(checked_activation(o)),
      dropout_(o.dropout),
      norm_first_(o.norm_first) {}

Variable TransformerDecoderLayer::forward(const Variable& x, const Variable& memory, const AttentionContext& context) {
  if (!memory) throw TypeError("TransformerDecoderLayer: the memory is an empty variable");
  return keeping_lengths({context.cache, context.memory_cache}, [&] { return through_parts(x, memory, context); });
}

Variable TransformerDecoderLayer::through_parts(const Variable& x, const Variable& memory,
                                                const AttentionContext& context) {
  Variable h = connected(x, norm1, norm_first_, dropout_, [&](const Variable& y) {
    return attention(y, Variable(), AttentionContext{.mask = context.mask, .cache = context.cache});
  });
  h = connected(h, norm2, norm_first_, dropout_, [&](const Variable& y) {
    return memory_attention(y, memory, AttentionContext{.mask = context.memory_mask, .cache = context.memory_cache});
  });
  return connected(h, norm3, norm_first_, dropout_, [&](const Variable& y) {
    return linear2(functions::dropout(activation_(linear1(y, 2)), dropout_), 2);
  });
}

CHAINER_DEFINE_MEMBERS(TransformerDecoderLayer, attention, memory_attention, linear1, linear2, norm1, norm2, norm3)

}  // namespace chainer::links
