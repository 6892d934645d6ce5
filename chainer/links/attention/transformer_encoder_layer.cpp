// SPDX-License-Identifier: MIT
#include "chainer/links/attention/transformer_parts.h"

namespace chainer::links {

TransformerEncoderLayer::TransformerEncoderLayer(int64_t size, int64_t heads, const TransformerLayerOptions& o)
    : attention(
          size, heads,
          {.kv_heads = o.kv_heads, .causal = o.causal, .dropout = o.dropout, .nobias = o.nobias, .rotary = o.rotary}),
      linear1(size, o.feedforward.value_or(4 * size), {.nobias = o.nobias}),
      linear2(std::nullopt, size, {.nobias = o.nobias}),
      norm1(size, {.eps = o.eps}),
      norm2(size, {.eps = o.eps}),
      activation_(checked_activation(o)),
      dropout_(o.dropout),
      norm_first_(o.norm_first) {}

Variable TransformerEncoderLayer::forward(const Variable& x, const AttentionContext& context) {
  const Variable h =
      connected(x, norm1, norm_first_, dropout_, [&](const Variable& y) { return attention(y, Variable(), context); });
  return connected(h, norm2, norm_first_, dropout_, [&](const Variable& y) {
    return linear2(functions::dropout(activation_(linear1(y, 2)), dropout_), 2);
  });
}

CHAINER_DEFINE_MEMBERS(TransformerEncoderLayer, attention, linear1, linear2, norm1, norm2)

}  // namespace chainer::links
