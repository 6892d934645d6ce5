// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/array/backend.h"
#include "chainer/array/host_kernels/attention.h"
#include "chainer/array/multiply_adds.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

Shape scores_shape(const Variable& q, const Variable& k) {
  Shape s = q.shape();
  s[s.ndim() - 1] = k.shape()[k.ndim() - 2];
  return s;
}

// Which scores count: those that the mask leaves, and those of the past.
Arrays counted(const host_kernels::Attention& a, const Variable& q, const Variable& k) {
  Arrays kept;
  if (a.mask) kept.push_back(a.mask.dtype() == Dtype::bool_ ? a.mask : chainer::greater(a.mask, -HUGE_VAL));
  if (!a.causal) return kept;
  // Compared on the device, to which only the positions are sent.
  const int64_t queries = q.shape()[q.ndim() - 2], keys = k.shape()[k.ndim() - 2];
  const Array last = (arange(queries) + (keys - queries)).reshape({queries, 1});
  kept.push_back(less_equal(arange(keys).to_device(q.device()), last.to_device(q.device())));
  return kept;
}

// In functions on variables: for gradients with a graph, exports and devices. Holds all scores. `factors` are those of
// dropout, or none.
Variable composed(const host_kernels::Attention& a, const Array& factors, const Variables& in) {
  const auto& [q, k, v] = std::tie(in[0], in[1], in[2]);
  const Shape scores = scores_shape(q, k);
  const int64_t keys = k.shape()[k.ndim() - 2], d = q.shape()[q.ndim() - 1], e = v.shape()[v.ndim() - 1];
  const int64_t groups = Shape(k.shape().begin(), k.shape().end() - 2).product();
  const int64_t rows = groups ? Shape(q.shape().begin(), q.shape().end() - 1).product() / groups : 0;
  // Heads that share keys are rows of one product.
  const Variable k3 = reshape(k, {groups, keys, d}), v3 = reshape(v, {groups, keys, e});
  Variable s = reshape(matmul(reshape(q, {groups, rows, d}), k3, {.transb = true}), scores) * a.scale;
  const Arrays kept = counted(a, q, k);
  if (a.mask && a.mask.dtype() != Dtype::bool_)
    s = s + chainer::where(kept[0], a.mask, zeros(a.mask.shape(), a.mask.dtype(), a.mask.device()));
  Variables all;
  for (const Array& m : kept) {
    all.push_back(broadcast_to(Variable(m, false), scores));
    const double least = s.dtype() == float16 ? -30000 : -1e30;
    s = where(all.back(), s, Variable(full(scores, least, s.dtype(), s.device()), false));
  }
  s = softmax(s, -1);
  for (const Variable& m : all) s = s * cast(m, s.dtype());
  if (factors) s = s * factors;
  Shape result = q.shape();
  result[result.ndim() - 1] = e;
  return reshape(matmul(reshape(s, {groups, rows, keys}), v3), result);
}

// The number of pairs of a query and a key that it attends to.
int64_t pairs(bool causal, const Shape& q, const Shape& k) {
  const int64_t queries = q[q.ndim() - 2], keys = k[k.ndim() - 2];
  int64_t each = queries * keys;
  if (causal) {
    each = 0;
    for (int64_t i = 0; i < queries; ++i) each += std::clamp<int64_t>(i + keys - queries + 1, 0, keys);
  }
  return each * (q.product() / (queries * q[q.ndim() - 1]));
}

struct AttentionNode : FunctionNode {
  explicit AttentionNode(host_kernels::Attention o) : a(std::move(o)) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::narrow; }
  std::string label() const override { return "ScaledDotProductAttention"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1, 2});
    retain_outputs({0});
    const Array q = wide(in[0]);
    const Shape rows(q.shape().begin(), q.shape().end() - 1);
    top = Array(rows, q.dtype());
    inverse = Array(rows, q.dtype());
    y = host_kernels::attention(a, q, wide(in[1]), wide(in[2]), top, inverse);
    count_multiply_adds([&] { return pairs(a.causal, q.shape(), in[1].shape()) * (q.shape(-1) + in[2].shape(-1)); });
    return {y.astype(in[0].dtype(), false)};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const auto [q, k, v] = retained_inputs<3>();
    if (config().enable_backprop) {
      const Array factors = a.seed ? host_kernels::attention_dropout(a, scores_shape(q, k), q.dtype()) : Array();
      return partial_gradients([&](const Variables& in) { return Variables{composed(a, factors, in)}; }, {q, k, v},
                               wanted, gy);
    }
    (void)output_data();  // throws if the output, whose memory y may share, was written to
    const Arrays g = host_kernels::attention_grad(a, wide(q.array()), wide(k.array()), wide(v.array()), y,
                                                  wide(gy[0].array()), top, inverse);
    count_multiply_adds(
        [&] { return pairs(a.causal, q.shape(), k.shape()) * 2 * (q.array().shape(-1) + v.array().shape(-1)); });
    Variables out;
    for (const Array& x : g) out.push_back(Variable(x.astype(q.dtype(), false), false));
    return out;
  }
  static Array wide(const Array& x) { return x.astype(compute_dtype(x.dtype()), false); }

  host_kernels::Attention a;
  Array y, top, inverse;
};

void check_qkv(const Variable& q, const Variable& k, const Variable& v) {
  type_check::check("ScaledDotProductAttention", {q.array(), k.array(), v.array()},
                    [](const type_check::TypeInfos& in) {
                      in.names({"q", "k", "v"});
                      using type_check::expect;
                      expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype());
                      expect(in[2].dtype() == in[0].dtype(), in[0].ndim() >= 2, in[1].ndim() == in[0].ndim());
                      expect(in[2].ndim() == in[0].ndim(), in[1].shape(-1) == in[0].shape(-1));
                      expect(in[2].shape(-2) == in[1].shape(-2));
                    });
  const Shape &a = q.shape(), &b = k.shape(), &c = v.shape();
  bool fits = true;
  for (int i = 0; i < q.ndim() - 3; ++i) fits = fits && a[i] == b[i] && b[i] == c[i];
  if (const int i = q.ndim() - 3; i >= 0)
    fits = fits && b[i] == c[i] && (b[i] == a[i] || (b[i] > 0 && a[i] % b[i] == 0));
  if (!fits)
    throw DimensionError("scaled_dot_product_attention: q, k and v of shapes ", a, ", ", b, " and ", c,
                         ": examples must be equally many, and heads of q a multiple of those of k and v");
}

}  // namespace

Variable ScaledDotProductAttention::operator()(const Variable& q, const Variable& k, const Variable& v,
                                               const ScaledDotProductAttentionOptions& o) const {
  const auto again = [&](const auto&... in) { return (*this)(in..., o); };
  if (const auto y = in_mixed_precision(MixedPrecision::narrow, again, q, k, v)) return *y;
  check_qkv(q, k, v);
  if (!(o.dropout >= 0 && o.dropout < 1))
    throw ValueError("scaled_dot_product_attention: dropout must be in [0, 1), not ", o.dropout);
  if (q.ndim() == 2) return squeeze((*this)(expand_dims(q, 0), expand_dims(k, 0), expand_dims(v, 0), o), {0});
  const Shape scores = scores_shape(q, k);
  host_kernels::Attention a{.scale = o.scale.value_or(1 / std::sqrt(static_cast<double>(q.shape()[q.ndim() - 1]))),
                            .causal = o.causal,
                            .dropout = o.dropout,
                            .mask = {},
                            .seed = {}};
  const bool host = !CompositeRecorder::current && q.device().is_host() && q.size() && k.size() && v.size();
  if (o.mask) {
    if (o.mask.dtype() != Dtype::bool_ && kind(o.mask.dtype()) != 'f')
      throw TypeError("scaled_dot_product_attention: mask must be boolean or floating, not ", o.mask.dtype());
    const Dtype d = host ? compute_dtype(q.dtype()) : q.dtype();
    const Array mask = o.mask.dtype() == Dtype::bool_ ? o.mask : o.mask.astype(d, false);
    try {
      const Array there = mask.to_device(q.device());
      // By a function, so that an exported file can have the mask as an input.
      a.mask = host ? chainer::broadcast_to(there, scores) : broadcast_to(Variable(there, false), scores).array();
    } catch (const DimensionError&) {
      throw DimensionError("scaled_dot_product_attention: a mask of shape ", mask.shape(),
                           " does not broadcast to scores of shape ", scores);
    }
  }
  const bool drops = o.dropout > 0 && config().train;
  if (host) {
    if (drops) a.seed = random::bulk(RandomFill::uniform, 0, 0x1p32, {2}, float64);
    return apply_single(AttentionNode(std::move(a)), q, k, v);
  }
  const Array factors =
      drops ? random::bulk(RandomFill::bernoulli, 1 - o.dropout, 1 / (1 - o.dropout), scores, q.dtype(), q.device())
            : Array();
  return composed(a, factors, {q, k, v});
}

}  // namespace chainer::functions
