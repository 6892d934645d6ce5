// SPDX-License-Identifier: MIT
// Attention and what goes with it.
#include <cmath>
#include <limits>

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/convolution.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/onnx/heads.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {

namespace F = functions;

Variable to_heads(const Call& c, const Variable& x, int64_t heads) {
  if (x.ndim() != 3 || heads <= 0 || x.shape(2) % heads)
    c.fail("cannot split the last axis of shape ", x.shape(), " among ", heads, " heads");
  return F::transpose(F::reshape(x, {x.shape(0), x.shape(1), heads, x.shape(2) / heads}), {0, 2, 1, 3});
}

Variable from_heads(const Variable& x) {
  return F::reshape(F::transpose(x, {0, 2, 1, 3}), {x.shape(0), x.shape(2), x.shape(1) * x.shape(3)});
}

Variable attend(const Call& c, const Variable& q, const Variable& k, const Variable& v, const Attending& a,
                Variable* scores_out) {
  if (q.ndim() != 4 || k.ndim() != 4 || v.ndim() != 4 || q.shape(3) != k.shape(3) || k.shape(2) != v.shape(2) ||
      k.shape(1) != v.shape(1) || k.shape(1) == 0 || q.shape(1) % k.shape(1))
    c.fail("queries, keys and values of shapes ", q.shape(), ", ", k.shape(), ", ", v.shape(), " do not fit");
  const double scale = a.scale.value_or(1 / std::sqrt(static_cast<double>(q.shape(3))));
  const bool plain =
      !scores_out && a.softcap == 0 && (!a.precision || *a.precision == q.dtype()) && !(a.allowed && a.bias);
  if (plain && !(a.bias && a.bias.requires_grad())) {
    const Array mask = a.allowed ? a.allowed : a.bias ? a.bias.array() : Array();
    return F::scaled_dot_product_attention(q, k, v, {.mask = mask, .scale = scale});
  }
  const int64_t shared = q.shape(1) / k.shape(1);
  const Variable keys = shared > 1 ? F::repeat(k, {shared}, 1) : k, values = shared > 1 ? F::repeat(v, {shared}, 1) : v;
  const double root = std::sqrt(scale);
  const Variable scores = F::matmul(q * root, keys * root, {.transb = true});
  Variable y = a.softcap > 0 ? F::tanh(scores / a.softcap) * a.softcap : scores;
  const Variable capped = y;
  const double lowest = -std::numeric_limits<double>::infinity();
  Array masked;  // rows without any key
  if (a.bias) {
    y = y + a.bias;
    masked = max(broadcast_to(a.bias.array(), y.shape()), -1, true) == lowest;
  }
  if (a.allowed) {
    const Array allowed = broadcast_to(a.allowed, y.shape());
    y = F::where(Variable(allowed, false), y, Variable(full({}, lowest, y.dtype()), false));
    const Array none = max(allowed.astype(int8), -1, true) == 0;
    masked = masked ? masked | none : none;
  }
  if (masked && a.allowed && a.bias)  // the sum of both masks decides
    masked = max(where(broadcast_to(a.allowed, y.shape()), broadcast_to(a.bias.array(), y.shape()),
                       full({}, lowest, y.dtype())),
                 -1, true) == lowest;
  const Variable biased = y;
  const Dtype dtype = y.dtype();
  const Variable zero(zeros({}, dtype), false);
  if (masked) y = F::where(Variable(broadcast_to(masked, y.shape()), false), zero, y);
  y = F::softmax(F::cast(y, a.precision.value_or(dtype)), 3);
  y = F::cast(y, dtype);
  if (masked) y = F::where(Variable(broadcast_to(masked, y.shape()), false), zero, y);
  if (scores_out) *scores_out = a.output == 0 ? scores : a.output == 1 ? capped : a.output == 2 ? biased : y;
  return F::matmul(y, values);
}

namespace {

// Adds one mask to another.
void restrict_to(Array& allowed, const Array& more) { allowed = allowed ? allowed & more : more; }

Variables attention(const Call& c) {
  Variable q = c[0], k = c[1], v = c[2];
  const bool packed = q.ndim() == 3;
  if (packed) {
    const int64_t heads = c.integer("q_num_heads"), shared = c.integer("kv_num_heads");
    q = to_heads(c, q, heads), k = to_heads(c, k, shared), v = to_heads(c, v, shared);
  }
  if (q.ndim() != 4 || k.ndim() != 4 || v.ndim() != 4) c.fail("expected 3 or 4 axes, got shape ", c[0].shape());
  if (c.has(4) != c.has(5)) c.fail("past keys and values must be given together");
  int64_t before = 0;
  if (c.has(4)) before = c[4].shape(2), k = F::concat({c[4], k}, 2), v = F::concat({c[5], v}, 2);
  const int64_t L = q.shape(2), S = k.shape(2);
  Attending a;
  const Array keys = arange(S).reshape({1, 1, 1, S}), queries = arange(L).reshape({1, 1, L, 1});
  Array positions = queries + before;
  Array valid;
  if (c.has(6)) {
    valid = c.array(6).astype(int64).reshape({c[6].size(), 1, 1, 1});
    if (!c.has(4)) positions = queries + (valid - L);
  }
  if (c.has(3)) {
    Variable mask = c[3];
    if (const int64_t short_by = mask.ndim() ? S - mask.shape(-1) : 0; short_by > 0) {
      Shape more = mask.shape();
      more[mask.ndim() - 1] = short_by;
      const Array rest = mask.dtype() == bool_ ? zeros(more, bool_)
                                               : full(more, -std::numeric_limits<double>::infinity(), mask.dtype());
      mask = mask.dtype() == bool_ ? Variable(concatenate({mask.array(), rest}, mask.ndim() - 1), false)
                                   : F::concat({mask, Variable(rest, false)}, mask.ndim() - 1);
    }
    Shape shape = Shape(Dims::filled(4, 1));
    if (mask.ndim() > 4) c.fail("the mask has shape ", mask.shape());
    for (int i = 0; i < mask.ndim(); ++i) shape[4 - mask.ndim() + i] = mask.shape()[i];
    if (mask.dtype() == bool_)
      a.allowed = mask.array().reshape(shape);
    else
      a.bias = F::reshape(mask, shape);
  }
  if (c.integer("is_causal", 0)) restrict_to(a.allowed, keys <= positions);
  if (const int64_t left = c.integer("left_window_size", -1); left >= 0)
    restrict_to(a.allowed, keys >= positions - left);
  if (const int64_t right = c.integer("right_window_size", -1); right >= 0)
    restrict_to(a.allowed, keys <= positions + right);
  if (valid) restrict_to(a.allowed, keys < valid);
  if (c.contains("scale")) a.scale = c.real("scale");
  a.softcap = c.real("softcap", 0.0);
  a.output = static_cast<int>(c.integer("qk_matmul_output_mode", 0));
  if (c.contains("softmax_precision")) a.precision = dtype_of_element(c.integer("softmax_precision"), c.where());
  Variable scores;
  const Variable y = attend(c, q, k, v, a, c.wants(3) ? &scores : nullptr);
  return {packed ? from_heads(y) : y, k, v, scores};
}

Variables rotary_embedding(const Call& c) {
  const Variable& x = c[0];
  return {rotated(c, x, c[1], c[2], c.has(3) ? c.array(3) : Array(), c.integer("num_heads", 0),
                  c.integer("rotary_embedding_dim", 0), c.integer("interleaved", 0))};
}

Variables swiglu(const Call& c) { return {c[0] * F::sigmoid(c[0] * c.real("alpha", 1.0)) * c[1]}; }

// Writes updates into a cache, from a position for each example on.
Variables tensor_scatter(const Call& c) {
  const Variable &past = c[0], &update = c[1];
  const int axis = c.axis(c.integer("axis", -2), past.ndim());
  const bool circular = c.text("mode", "linear") == "circular";
  if (axis == 0 || update.ndim() != past.ndim() || update.shape()[0] != past.shape()[0])
    c.fail("updates of shape ", update.shape(), " do not fit a cache of shape ", past.shape());
  const int64_t examples = past.shape()[0], n = past.shape()[axis], m = update.shape()[axis];
  std::vector<int64_t> from(static_cast<std::size_t>(examples), 0);
  if (c.has(2)) from = c.values(2);
  if (static_cast<int64_t>(from.size()) != examples || m > n)
    c.fail(from.size(), " positions and ", m, " updates for ", examples, " caches of ", n, " elements");
  Variables rows;
  for (int64_t b = 0; b < examples; ++b) {
    std::vector<int64_t> source(static_cast<std::size_t>(n));
    for (int64_t i = 0; i < n; ++i) source[static_cast<std::size_t>(i)] = i;
    const int64_t start = from[static_cast<std::size_t>(b)];
    for (int64_t i = 0; i < m; ++i) {
      int64_t to = start + i;
      if (circular && start >= 0) to %= n;
      if (to < 0 || to >= n) c.fail("position ", to, " in a cache of ", n, " elements");
      source[static_cast<std::size_t>(to)] = n + i;
    }
    const Variable both = F::concat({F::get_item(past, {b}), F::get_item(update, {b})}, axis - 1);
    Indices places(static_cast<std::size_t>(axis - 1), Slice());
    places.push_back(array(source, Shape{n}));
    rows.push_back(F::get_item(both, places));
  }
  return {rows.empty() ? past : F::stack(rows, 0)};
}

Variables causal_convolution(const Call& c) {
  const Variable &x = c[0], &W = c[1];
  if (x.ndim() != 3 || W.ndim() != 3 || W.shape(1) != 1 || W.shape(0) != x.shape(1) || W.shape(2) < 1)
    c.fail("an input of shape ", x.shape(), " does not fit filters of shape ", W.shape());
  const int64_t before = W.shape(2) - 1;
  const Variable past = c.has(3) ? c[3] : Variable(zeros({x.shape(0), x.shape(1), before}, x.dtype()), false);
  const Variable whole = F::concat({past, x}, 2);
  Variable y = F::convolution_nd(whole, W, c.has(2) ? c[2] : Variable(), {.groups = x.shape(1)});
  const std::string activation = c.text("activation", "none");
  if (activation == "silu" || activation == "swish")
    y = y * F::sigmoid(y);
  else if (activation != "none")
    c.fail("unknown activation '", activation, "'");
  const int64_t n = whole.shape(2);
  return {y, F::get_item(whole, {Slice(), Slice(), Slice(n - before, n)})};
}

// A recurrent state for each head, a matrix of keys by values, is read by queries.
Variables linear_attention(const Call& c) {
  const int64_t heads = c.integer("q_num_heads"), shared = c.integer("kv_num_heads");
  const std::string rule = c.text("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta", delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear") c.fail("unknown update rule '", rule, "'");
  if (shared <= 0 || heads % shared || c.has(4) != gated || c.has(5) != delta)
    c.fail("the heads ", heads, " and ", shared, " or the inputs do not fit the update rule '", rule, "'");
  const auto wide = [&](const Variable& x) { return item_size(x.dtype()) == 2 ? F::cast(x, float32) : x; };
  const Variable q = wide(to_heads(c, c[0], heads)), k = wide(to_heads(c, c[1], shared)),
                 v = wide(to_heads(c, c[2], shared));
  const int64_t B = q.shape(0), T = q.shape(2), D = q.shape(3), E = v.shape(3);
  const Dtype dtype = q.dtype(), state_dtype = c.has(3) ? c[3].dtype() : c.dtype();
  Variable state = c.has(3) ? wide(c[3]) : Variable(zeros({B, shared, D, E}, dtype), false);
  if (state.shape() != Shape{B, shared, D, E} || k.shape(3) != D || k.shape(2) != T || v.shape(2) != T)
    c.fail("the state has shape ", state.shape(), ", expected ", Shape{B, shared, D, E});
  Variable decay, beta;
  if (gated) decay = F::exp(wide(to_heads(c, c[4], shared)));
  if (delta) beta = wide(to_heads(c, c[5], c[5].shape(-1) == 1 ? 1 : shared));
  const double scale = c.real("scale", 0.0) ? c.real("scale", 0.0) : 1 / std::sqrt(static_cast<double>(D));
  const auto at = [](const Variable& x, int64_t t) { return F::get_item(x, {Slice(), Slice(), t}); };
  Variables out;
  for (int64_t t = 0; t < T; ++t) {
    const Variable kt = F::expand_dims(at(k, t), 3);  // (B, G, D, 1)
    Variable vt = F::expand_dims(at(v, t), 2);        // (B, G, 1, E)
    if (gated) state = state * F::expand_dims(at(decay, t), 3);
    if (delta) vt = F::expand_dims(at(beta, t), 3) * (vt - F::sum(state * kt, 2, {.keepdims = true}));
    state = state + kt * vt;
    const Variable read = heads == shared ? state : F::repeat(state, {heads / shared}, 1);
    out.push_back(F::sum(read * F::expand_dims(at(q, t), 3), 2) * scale);
  }
  const Variable y = out.empty() ? Variable(zeros({B, heads, 0, E}, dtype), false) : F::stack(out, 2);
  return {F::cast(from_heads(y), c.dtype()), F::cast(state, state_dtype)};
}

constexpr Operator kOperators[] = {
    {"Attention", 23, attention},
    {"CausalConvWithState", 27, causal_convolution, 2 | 4},
    {"LinearAttention", 27, linear_attention},
    {"RotaryEmbedding", 23, rotary_embedding},
    {"SwiGLU", 28, swiglu},
    {"TensorScatter", 24, tensor_scatter},
};

}  // namespace

Variable rotated(const Call& c, const Variable& x, const Variable& cosines, const Variable& sines,
                 const Array& positions, int64_t heads, int64_t size, bool interleaved) {
  const bool packed = x.ndim() == 3;
  const Variable y = packed ? to_heads(c, x, heads) : x;  // (B, H, L, D)
  if (y.ndim() != 4) c.fail("expected 3 or 4 axes, got shape ", x.shape());
  const int64_t D = y.shape(3), n = size ? size : D, half = n / 2;
  if (n > D || n % 2) c.fail("cannot rotate ", n, " of ", D, " elements");
  const auto table = [&](const Variable& t) {  // (B, 1, L, n / 2)
    Variable rows = positions ? F::get_item(t, {positions.astype(int64, false)}) : t;
    if (rows.ndim() == 2) rows = F::expand_dims(rows, 0);
    if (rows.ndim() != 3 || rows.shape(2) != half)
      c.fail("the tables have shape ", t.shape(), ", expected ", half, " angles");
    return F::expand_dims(rows, 1);
  };
  const Variable co = table(cosines), si = table(sines);
  const auto part = [&](int64_t from, int64_t to, int64_t step = 1) {
    return F::get_item(y, {Slice(), Slice(), Slice(), Slice(from, to, step)});
  };
  const Variable a = interleaved ? part(0, n, 2) : part(0, half), b = interleaved ? part(1, n, 2) : part(half, n);
  const Variable real = co * a - si * b, imaginary = si * a + co * b;
  Variable z = interleaved ? F::reshape(F::stack({real, imaginary}, 4), {y.shape(0), y.shape(1), y.shape(2), n})
                           : F::concat({real, imaginary}, 3);
  if (n < D) z = F::concat({z, part(n, D)}, 3);
  return packed ? from_heads(z) : z;
}

std::span<const Operator> attention_operators() { return kOperators; }

}  // namespace chainer::onnx
