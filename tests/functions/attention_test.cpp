// SPDX-License-Identifier: MIT
// Attention block by block against all scores at once, over several blocks of queries and keys.
#include <chainer/chainer.h>

#include "chainer/array/memory.h"
#include "chainer/array/multiply_adds.h"
#include "test.h"

using namespace chainer;

namespace {

using Options = F::ScaledDotProductAttentionOptions;

Variable normal(const Shape& s, Dtype d) { return Variable(random::normal(0, 0.7, s, float64).astype(d), true); }

// Compares the gradients of the loops with those of the functions that gradients with a graph go through, and the
// result with theirs.
void expect_same(const Shape& q_shape, const Shape& k_shape, int64_t e, const Options& o, Dtype d) {
  Shape v_shape = k_shape;
  v_shape[v_shape.ndim() - 1] = e;
  const Variables x{normal(q_shape, d), normal(k_shape, d), normal(v_shape, d)};
  const Variable y = F::scaled_dot_product_attention(x[0], x[1], x[2], o);
  const Variable gy = normal(y.shape(), d);
  const Variables fast = grad({y}, x, {.grad_outputs = {gy}});
  const Variables slow = grad({y}, x, {.grad_outputs = {gy}, .enable_double_backprop = true});
  const double atol = d == float64 ? 1e-12 : 2e-5;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(fast[i].dtype(), d);
    EXPECT_CLOSE(fast[i].array(), slow[i].array(), {.atol = atol, .rtol = 1e-4});
  }
  if (o.dropout > 0) return;
  // One score at a time, from the definition.
  const int64_t share = q_shape.ndim() > 2 ? q_shape[q_shape.ndim() - 3] / k_shape[q_shape.ndim() - 3] : 1;
  const auto heads = [&](const Variable& a) {
    return share > 1 ? repeat(a.array().astype(float64), share, -3) : a.array().astype(float64);
  };
  Array s = matmul(x[0].array().astype(float64), swapaxes(heads(x[1]), -1, -2)) *
            o.scale.value_or(1 / std::sqrt(q_shape[q_shape.ndim() - 1]));
  const int64_t queries = s.shape(-2), keys = s.shape(-1);
  Array counts = ones({queries, keys}, bool_);
  if (o.causal) counts = less_equal(arange(keys), (arange(queries) + (keys - queries)).reshape({queries, 1}));
  if (o.mask && o.mask.dtype() == bool_)
    counts = logical_and(counts, o.mask);
  else if (o.mask)
    s = s + o.mask.astype(float64);
  const Array p = exp(s) * counts.astype(float64);
  EXPECT_CLOSE(y.array().astype(float64), matmul(p / (sum(p, -1, true) + 1e-300), heads(x[2])),
               {.atol = atol, .rtol = 1e-4});
}

}  // namespace

// Returns the multiplications of f.
template <class F>
int64_t work(F f) {
  const MultiplyAddsCounter counter;
  f();
  return counter.count();
}

TEST(products_are_counted_by_their_direct_algorithms) {
  const auto scores = [](bool causal) {
    const Variable q = normal({2, 4, 5, 3}, float32), k = normal({2, 2, 7, 3}, float32),
                   v = normal({2, 2, 7, 6}, float32);
    Variable y;
    const int64_t forward = work([&] { y = F::sum(F::scaled_dot_product_attention(q, k, v, {.causal = causal})); });
    EXPECT_EQ(work([&] { y.backward(); }), 2 * forward);
    return forward;
  };
  EXPECT_EQ(scores(false), 2 * 4 * 5 * 7 * (3 + 6));
  EXPECT_EQ(scores(true), 2 * 4 * (3 + 4 + 5 + 6 + 7) * (3 + 6));
  EXPECT_EQ(work([] { (void)matmul(ones({3, 4, 5}), ones({3, 5, 6})); }), 3 * 4 * 5 * 6);
  const Variable x = normal({2, 16, 12, 12}, float32), w = normal({8, 16, 3, 3}, float32);
  Variable y;
  const int64_t forward = 2 * 8 * 12 * 12 * 16 * 9;
  EXPECT_EQ(work([&] { y = F::sum(F::convolution_2d(x, w, {}, {.pad = 1})); }), forward);
  EXPECT_EQ(work([&] { y.backward(); }), 2 * forward);
}

TEST(attention_by_blocks_equals_all_scores_at_once) {
  random::seed(1);
  for (const Dtype d : {float64, float32}) {
    expect_same({1, 2, 200, 16}, {1, 2, 300, 16}, 24, {}, d);
    expect_same({2, 2, 300, 8}, {2, 1, 300, 8}, 8, {.causal = true}, d);
    expect_same({1, 4, 130, 8}, {1, 2, 260, 8}, 8, {.causal = true, .scale = 0.3}, d);
    expect_same({1, 260, 8}, {1, 130, 8}, 5, {.causal = true}, d);  // the first 130 queries have no key
    expect_same({1, 1, 3, 16}, {1, 1, 300, 16}, 16, {}, d);         // few queries
    expect_same({17, 1, 5, 4}, {17, 1, 7, 4}, 3, {}, d);            // more groups than parts
    expect_same({1, 2, 140, 8}, {1, 2, 150, 8}, 8, {.mask = random::normal(0, 1, {1, 2, 140, 150}, float64)}, d);
    expect_same({1, 2, 140, 8}, {1, 2, 150, 8}, 8,
                {.mask = greater(random::normal(0, 1, {140, 1}, float64), random::normal(0, 1, {1, 150}, float64)),
                 .causal = true},
                d);
  }
  const UsingConfig train(&Config::train, true);
  expect_same({1, 4, 150, 8}, {1, 2, 260, 8}, 8, {.dropout = 0.3}, float32);
  expect_same({2, 2, 5, 8}, {2, 2, 7, 8}, 8, {.causal = true, .dropout = 0.5}, float64);
}

TEST(attention_drops_a_share_of_the_probabilities) {
  random::seed(0);
  const UsingConfig train(&Config::train, true);
  const Array q = zeros({1, 1, 64, 4}), v = ones({1, 1, 500, 1});
  const Array y = F::scaled_dot_product_attention(q, zeros({1, 1, 500, 4}), v, {.dropout = 0.25}).array();
  EXPECT(std::abs(mean(y).item<double>() - 1) < 0.01);
  EXPECT(mean(square(y - 1.0)).item<double>() > 1e-4);
  const Array other = F::scaled_dot_product_attention(q, zeros({1, 1, 500, 4}), v, {.dropout = 0.25}).array();
  EXPECT(sum(absolute(y - other)).item<double>() > 0);
  const UsingConfig test(&Config::train, false);
  EXPECT_CLOSE(F::scaled_dot_product_attention(q, zeros({1, 1, 500, 4}), v, {.dropout = 0.25}).array(),
               ones({1, 1, 64, 1}));
}

TEST(attention_needs_memory_for_its_operands_only) {
  const int64_t length = 2048, operand = length * 32 * 4;
  const Variable q = normal({1, 1, length, 32}, float32), k = normal({1, 1, length, 32}, float32),
                 v = normal({1, 1, length, 32}, float32);
  memory::reset_peak();
  const int64_t before = memory::statistics().in_use;
  F::sum(F::scaled_dot_product_attention(q, k, v, {.causal = true})).backward();
  // The scores would have 64 operands' size. The result, four gradients, and parts of two of these, as there is but one
  // head.
  EXPECT(memory::statistics().peak - before < 48 * operand);
}

TEST(attention_refuses) {
  const auto call = [](const Shape& q, const Shape& k, const Shape& v, const Options& o = {}) {
    return F::scaled_dot_product_attention(zeros(q), zeros(k), zeros(v), o);
  };
  EXPECT_THROW(InvalidType, "k", call({2, 3, 4}, {2, 3, 5}, {2, 3, 4}));
  EXPECT_THROW(InvalidType, "v", call({2, 3, 4}, {2, 3, 4}, {2, 2, 4}));
  EXPECT_THROW(InvalidType, "ndim", call({3, 4}, {2, 3, 4}, {2, 3, 4}));
  EXPECT_THROW(DimensionError, "heads", call({3, 3, 4}, {2, 3, 4}, {2, 3, 4}));
  EXPECT_THROW(DimensionError, "examples", call({2, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}));
  EXPECT_THROW(DimensionError, "broadcast", call({1, 3, 4}, {1, 3, 4}, {1, 3, 4}, {.mask = zeros({2, 3})}));
  EXPECT_THROW(TypeError, "boolean or floating", call({1, 3, 4}, {1, 3, 4}, {1, 3, 4}, {.mask = zeros({3, 3}, int32)}));
  EXPECT_THROW(ValueError, "dropout", call({1, 3, 4}, {1, 3, 4}, {1, 3, 4}, {.dropout = 1}));
  EXPECT_EQ(call({1, 0, 4}, {1, 3, 4}, {1, 3, 4}).shape(), Shape({1, 0, 4}));
}

TEST(rotary_embedding_refuses) {
  const Array x = zeros({2, 3, 4});
  EXPECT_THROW(ValueError, "even", F::rotary_embedding(x, {.size = 3}));
  EXPECT_THROW(ValueError, "at most 4", F::rotary_embedding(x, {.size = 6}));
  EXPECT_THROW(ValueError, "base", F::rotary_embedding(x, {.base = 0}));
  EXPECT_THROW(TypeError, "integers", F::rotary_embedding(x, {.positions = zeros({3})}));
  EXPECT_THROW(DimensionError, "positions", F::rotary_embedding(x, {.positions = arange(2)}));
  EXPECT_THROW(InvalidType, "ndim", F::rotary_embedding(zeros({4})));
}
