// SPDX-License-Identifier: MIT
// Operators of the domain com.microsoft, which onnxruntime's tools write, as far as they are exactly other operators.
#include <cmath>

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/onnx/heads.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

Variable gelu_of(const Variable& x) { return x * 0.5 * (F::erf(x * std::sqrt(0.5)) + 1.0); }
Variables gelu(const Call& c) { return {gelu_of(c[0])}; }
Variables bias_gelu(const Call& c) { return {gelu_of(c[0] + c[1])}; }
Variables fast_gelu(const Call& c) {
  const Variable x = c.has(1) ? c[0] + c[1] : c[0];
  return {x * 0.5 * (F::tanh((x + x * x * x * 0.044715) * std::sqrt(2 / M_PI)) + 1.0)};
}
Variables quick_gelu(const Call& c) { return {c[0] * F::sigmoid(c[0] * c.real("alpha", 1.702))}; }

Variables fused_matmul(const Call& c) {
  c.expect_one_dtype();
  if (c.integer("transBatchA", 0) || c.integer("transBatchB", 0)) c.fail("transposed batches are not supported");
  const auto side = [&](std::size_t i, const char* name) {
    const Variable& x = c[i];
    return c.integer(name, 0) && x.ndim() > 1 ? F::swapaxes(x, -1, -2) : x;
  };
  const double alpha = c.real("alpha", 1.0);
  const Variable y = F::matmul(side(0, "transA"), side(1, "transB"));
  return {alpha == 1 ? y : y * alpha};
}

// Normalizes the last axis of x: over the deviation from the mean, or over the square.
Variable normalized(const Call& c, const Variable& x, const Variable& gamma, const Variable& beta, bool centred) {
  const double eps = c.real("epsilon", centred ? 1e-12 : 1e-6);
  const Variable wide = item_size(x.dtype()) == 2 ? F::cast(x, float32) : x;
  const Variable d = centred ? wide - F::average(wide, -1, {.keepdims = true}) : wide;
  const Variable y = d / F::sqrt(F::average(d * d, -1, {.keepdims = true}) + eps);
  const Variable scaled = F::cast(y, x.dtype()) * gamma;
  return beta ? scaled + beta : scaled;
}
Variables skip_normalization(const Call& c, bool centred) {
  const std::size_t bias = centred ? 4 : 3;
  Variable sum = c[0] + c[1];
  if (c.has(bias)) sum = sum + c[bias];
  return {normalized(c, sum, c[2], centred && c.has(3) ? c[3] : Variable(), centred), Variable(), Variable(), sum};
}
Variables skip_layer_normalization(const Call& c) { return skip_normalization(c, true); }
Variables skip_simplified(const Call& c) { return skip_normalization(c, false); }

// Sums embeddings of words, positions and segments, and normalizes them.
Variables embed_layer_normalization(const Call& c) {
  const Array words = c.array(0).astype(int64, false);
  if (words.ndim() != 2) c.fail("expected numbers of words (N, length), got shape ", words.shape());
  const int64_t length = words.shape()[1];
  const Array at = c.has(8) ? broadcast_to(c.array(8).astype(int64, false), words.shape())
                            : broadcast_to(arange(length).reshape({1, length}), words.shape());
  Variable sum = F::get_item(c[2], {words}) + F::get_item(c[3], {at});
  if (c.has(1) && c.has(4)) sum = sum + F::get_item(c[4], {c.array(1).astype(int64, false)});
  Array lengths = zeros({words.shape()[0]}, int32);
  if (c.has(7)) lengths = chainer::sum(c.array(7).astype(int64, false), 1).astype(int32);
  return {normalized(c, sum, c[5], c[6], true), Variable(lengths, false), sum};
}

// Adds the masks of an attention operator: `mask` (N, S), (N) lengths, (N, L, S) or (N, 1, L, S) is 0 where not to
// attend.
Attending masked(const Call& c, const Array& mask, int64_t L, int64_t S, bool causal) {
  Attending a;
  if (c.contains("scale") && c.real("scale") != 0) a.scale = c.real("scale");
  const double filter = c.real("mask_filter_value", -10000.0);
  if (mask) {
    Array keep;
    if (mask.ndim() == 1)
      keep = arange(S).reshape({1, 1, 1, S}) < mask.astype(int64).reshape({mask.size(), 1, 1, 1});
    else if (mask.ndim() == 2)
      keep = (mask != 0).reshape({mask.shape()[0], 1, 1, mask.shape()[1]});
    else if (mask.ndim() == 3)
      keep = (mask != 0).reshape({mask.shape()[0], 1, mask.shape()[1], mask.shape()[2]});
    else
      c.fail("masks of shape ", mask.shape(), " are not supported");
    const Dtype d = c.dtype();
    a.bias = Variable(where(keep, zeros({}, d), full({}, filter, d)).astype(d, false), false);
  }
  if (causal) a.allowed = arange(S).reshape({1, 1, 1, S}) <= arange(L).reshape({1, 1, L, 1}) + (S - L);
  return a;
}

void add_bias(Attending& a, const Variable& more) { a.bias = a.bias ? a.bias + more : more; }

// Attention with the projections of queries, keys and values in one matrix.
Variables attention(const Call& c) {
  if (c.integer("do_rotary", 0) || c.has(6)) c.fail("rotation and the length of the past are not supported");
  const Variable& x = c[0];
  const int64_t heads = c.integer("num_heads");
  if (x.ndim() != 3 || c[1].ndim() != 2) c.fail("expected (N, L, inputs) and a matrix, got shape ", x.shape());
  const int64_t width = c[1].shape(1);
  std::vector<int64_t> sizes = c.integers("qkv_hidden_sizes", std::vector<int64_t>(3, width / 3));
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != width) c.fail("qkv_hidden_sizes do not fit ", width);
  Variable y = F::matmul(F::reshape(x, {x.shape(0) * x.shape(1), x.shape(2)}), c[1]);
  if (c.has(2)) y = y + c[2];
  y = F::reshape(y, {x.shape(0), x.shape(1), width});
  const Variables parts = F::split_axis(y, std::vector<int64_t>{sizes[0], sizes[0] + sizes[1]}, 2);
  const Variable q = to_heads(c, parts[0], heads);
  Variable k = to_heads(c, parts[1], heads), v = to_heads(c, parts[2], heads);
  if (c.has(4)) {
    k = F::concat({F::get_item(c[4], {int64_t(0)}), k}, 2);
    v = F::concat({F::get_item(c[4], {int64_t(1)}), v}, 2);
  }
  Attending a = masked(c, c.has(3) ? c.array(3) : Array(), q.shape(2), k.shape(2), c.integer("unidirectional", 0) != 0);
  if (c.has(5)) add_bias(a, c[5]);
  return {from_heads(attend(c, q, k, v, a)), c.wants(1) ? F::stack({k, v}, 0) : Variable()};
}

Variables multi_head_attention(const Call& c) {
  const int64_t heads = c.integer("num_heads");
  Variable q = c[0];
  if (q.ndim() != 3 || !c.has(1) || !c.has(2)) c.fail("packed queries, keys and values are not supported");
  Variable k = c[1], v = c[2];
  if (c.has(3)) {
    const int64_t D = q.shape(2);
    const auto part = [&](int64_t from, int64_t to) { return F::get_item(c[3], {Slice(from, to)}); };
    q = q + part(0, D);
    if (k.ndim() == 3) k = k + part(D, 2 * D), v = v + part(2 * D, c[3].size());
  }
  q = to_heads(c, q, heads);
  if (k.ndim() == 3) k = to_heads(c, k, heads), v = to_heads(c, v, heads);
  if (c.has(6)) k = F::concat({c[6], k}, 2), v = F::concat({c[7], v}, 2);
  Attending a = masked(c, c.has(4) ? c.array(4) : Array(), q.shape(2), k.shape(2), c.integer("unidirectional", 0) != 0);
  if (c.has(5)) add_bias(a, c[5]);
  return {from_heads(attend(c, q, k, v, a)), k, v};
}

Variables rotary(const Call& c) {
  const Variable& x = c[0];
  const Array& given = c.array(1);
  const int64_t L = x.ndim() == 4 ? x.shape(2) : x.shape(1);
  const Array at = given.size() == 1 && given.ndim() == 1 ? (arange(L) + given.astype(int64)).reshape({1, L}) : given;
  int64_t heads = c.integer("num_heads", 0);
  const int64_t size = c.integer("rotary_embedding_dim", 0);
  if (!heads && x.ndim() == 3) heads = x.shape(2) / (2 * c[2].shape(-1));
  return {rotated(c, x, c[2], c[3], broadcast_to(at, {x.shape(0), L}), heads, size, c.integer("interleaved", 0) != 0)};
}

constexpr Operator kOperators[] = {
    {"com.microsoft.Attention", 1, attention, 2 | 4},
    {"com.microsoft.BiasGelu", 1, bias_gelu, 2},
    {"com.microsoft.EmbedLayerNormalization", 1, embed_layer_normalization, 4 | 8 | 16 | 32 | 64},
    {"com.microsoft.FastGelu", 1, fast_gelu, 2},
    {"com.microsoft.FusedMatMul", 1, fused_matmul, 3},
    {"com.microsoft.Gelu", 1, gelu},
    {"com.microsoft.MultiHeadAttention", 1, multi_head_attention, 8},
    {"com.microsoft.QuickGelu", 1, quick_gelu},
    {"com.microsoft.RotaryEmbedding", 1, rotary},
    {"com.microsoft.SkipLayerNormalization", 1, skip_layer_normalization, 4 | 8 | 16},
    {"com.microsoft.SkipSimplifiedLayerNormalization", 1, skip_simplified, 4 | 8},
};

}  // namespace

std::span<const Operator> microsoft_operators() { return kOperators; }

}  // namespace chainer::onnx
