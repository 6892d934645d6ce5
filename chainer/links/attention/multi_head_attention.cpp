// SPDX-License-Identifier: MIT
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/links/attention/transformer_parts.h"
#include "chainer/routines/creation.h"

namespace chainer::links {
namespace {

int64_t checked_size(int64_t size, int64_t heads, const MultiHeadAttentionOptions& o) {
  if (heads < 1 || size < 1 || size % heads)
    throw ValueError("MultiHeadAttention: ", heads, " heads do not divide a size of ", size);
  if (const int64_t kv = o.kv_heads.value_or(heads); kv < 1 || heads % kv)
    throw ValueError("MultiHeadAttention: ", kv, " heads of keys do not divide ", heads, " heads");
  if (o.rotary && size / heads % 2)
    throw ValueError("MultiHeadAttention: rotary embeddings need heads of an even size, not ", size / heads);
  return size;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t size, int64_t heads, const MultiHeadAttentionOptions& o)
    : query(checked_size(size, heads, o), size, {.nobias = o.nobias, .initialW = o.initialW}),
      key(std::nullopt, size / heads * o.kv_heads.value_or(heads), {.nobias = o.nobias, .initialW = o.initialW}),
      value(std::nullopt, size / heads * o.kv_heads.value_or(heads), {.nobias = o.nobias, .initialW = o.initialW}),
      output(size, size, {.nobias = o.nobias, .initialW = o.initialW}),
      heads_(heads),
      kv_heads_(o.kv_heads.value_or(heads)),
      causal_(o.causal),
      rotary_(o.rotary),
      dropout_(o.dropout),
      base_(o.base) {}

Variable MultiHeadAttention::forward(const Variable& x, const Variable& memory, const AttentionContext& context) {
  return keeping_lengths({context.cache}, [&] { return attend(x, memory, context); });
}

Variable MultiHeadAttention::attend(const Variable& x, const Variable& memory, const AttentionContext& context) {
  namespace F = functions;
  if (x.ndim() != 3 || (memory && memory.ndim() != 3))
    throw DimensionError("MultiHeadAttention: sequences must have three axes (N, L, size), not the shape ",
                         x.ndim() != 3 ? x.shape() : memory.shape());
  const int64_t length = x.shape()[1];
  const auto heads = [](const Variable& y, int64_t n) {
    const Shape& s = y.shape();
    return F::transpose(F::reshape(y, {s[0], s[1], n, s[2] / n}), {0, 2, 1, 3});
  };
  AttentionCache* const cache = context.cache;
  const int64_t before = cache && !memory ? cache->length() : 0;
  const auto turned = [&](const Variable& y) {
    if (!rotary_ || memory) return y;
    return F::rotary_embedding(y, {.base = base_, .positions = arange(before, before + length)});
  };
  const Variable q = turned(heads(query(x, 2), heads_));
  Variable k, v;
  if (!(memory && cache && cache->length())) {
    const Variable& from = memory ? memory : x;
    k = turned(heads(key(from, 2), kv_heads_));
    v = heads(value(from, 2), kv_heads_);
    if (cache) cache->append(k, v);
  }
  if (cache) k = cache->keys(), v = cache->values();
  const Variable y = F::scaled_dot_product_attention(
      q, k, v, {.mask = context.mask, .causal = causal_ && !memory, .dropout = dropout_});
  return output(F::reshape(F::transpose(y, {0, 2, 1, 3}), {x.shape()[0], length, query.out_size()}), 2);
}

CHAINER_DEFINE_MEMBERS(MultiHeadAttention, query, key, value, output)

}  // namespace chainer::links
