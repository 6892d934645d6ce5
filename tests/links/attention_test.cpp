// SPDX-License-Identifier: MIT
// Attention, layers of transformers, RMSNormalization and LowRank.
#include <chainer/chainer.h>

#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

Variable normal(const Shape& s) { return random::normal(0, 1, s, float32); }

Array heads(const Variable& y, int64_t n) {
  const Shape& s = y.shape();
  return y.array().reshape({s[0], s[1], n, s[2] / n}).transpose({0, 2, 1, 3});
}

// The definition, with all scores.
Array attended(L::MultiHeadAttention& a, const Variable& x, const Variable& memory, int64_t n, int64_t kv,
               bool causal) {
  const Array q = heads(a.query(x, 2), n), k = repeat(heads(a.key(memory, 2), kv), n / kv, 1),
              v = repeat(heads(a.value(memory, 2), kv), n / kv, 1);
  Array e = exp(matmul(q, swapaxes(k, -1, -2)) / std::sqrt(double(q.shape(-1))));
  if (causal) e = e * less_equal(arange(e.shape(-1)), arange(e.shape(-2)).reshape({-1, 1})).astype(float32);
  const Array y = matmul(e / sum(e, -1, true), v).transpose({0, 2, 1, 3});
  return a.output(y.reshape(x.shape()), 2).array();
}

}  // namespace

TEST(rms_normalization_divides_by_the_root_of_the_mean_square) {
  L::RMSNormalization norm(std::nullopt, {.eps = 0.5});
  const Array x = array({{3., -4., 0.}, {1., 1., 2.}}), gamma = array({1., 2., -1.});
  EXPECT_EQ(norm(x.astype(float32)).shape(), x.shape());
  EXPECT_EQ(norm.gamma.shape(), Shape({3}));
  norm.gamma.set_array(gamma);
  EXPECT_CLOSE(norm(x).array(), x / sqrt(mean(square(x), 1, true) + 0.5) * gamma);
  EXPECT_THROW(DimensionError, "no axis", norm(zeros({})));
}

TEST(multi_head_attention_follows_its_definition) {
  random::seed(0);
  const Variable x = normal({2, 5, 12}), memory = normal({2, 7, 6});
  L::MultiHeadAttention self(12, 3), causal(12, 4, {.kv_heads = 2, .causal = true, .nobias = true}),
      cross(12, 2, {.kv_heads = 1});
  EXPECT_CLOSE(self(x).array(), attended(self, x, x, 3, 3, false), {.atol = 1e-5});
  EXPECT_CLOSE(causal(x).array(), attended(causal, x, x, 4, 2, true), {.atol = 1e-5});
  EXPECT_CLOSE(cross(x, memory).array(), attended(cross, x, memory, 2, 1, false), {.atol = 1e-5});
  EXPECT_EQ(causal.key.W.shape(), Shape({6, 12}));
  EXPECT_EQ(cross.key.W.shape(), Shape({6, 6}));
  EXPECT_EQ(self.namedparams().size(), 8u);
  EXPECT_EQ(causal.namedparams().size(), 4u);
  // The last two positions are masked out.
  const Array mask = less(arange(7), 5);
  EXPECT_CLOSE(cross(x, memory, L::AttentionContext{.mask = mask}).array(),
               cross(x, Variable(memory.array()[{Slice(), Slice(0, 5)}])).array(), {.atol = 1e-5});
  EXPECT_THROW(ValueError, "3 heads", L::MultiHeadAttention(8, 3));
  EXPECT_THROW(ValueError, "3 heads of keys", L::MultiHeadAttention(8, 4, {.kv_heads = 3}));
  EXPECT_THROW(ValueError, "even", L::MultiHeadAttention(6, 2, {.rotary = true}));
  EXPECT_THROW(DimensionError, "three axes", self(zeros({2, 12})));
}

TEST(positions_are_generated_one_by_one_from_a_cache) {
  random::seed(0);
  const NoBackpropMode none;
  L::MultiHeadAttention a(16, 4, {.kv_heads = 2, .causal = true, .rotary = true});
  const Array x = normal({3, 9, 16}).array();
  const Array whole = a(x).array();
  L::AttentionCache cache;
  EXPECT_CLOSE(a(x[{Slice(), Slice(0, 4)}], L::AttentionContext{.cache = &cache}).array(),
               whole[{Slice(), Slice(0, 4)}], {.atol = 1e-5});
  for (int64_t i = 4; i < 9; ++i)
    EXPECT_CLOSE(a(x[{Slice(), Slice(i, i + 1)}], L::AttentionContext{.cache = &cache}).array(),
                 whole[{Slice(), Slice(i, i + 1)}], {.atol = 1e-5});
  EXPECT_EQ(cache.length(), 9);
  EXPECT_EQ(cache.keys().shape(), Shape({3, 2, 9, 4}));
  const Array keys = cache.keys().array().copy();
  cache.select(array({2, 0}));
  EXPECT_CLOSE(cache.keys().array(), take(keys, array({2, 0}), 0));
  EXPECT_THROW(DimensionError, "do not continue", cache.append(zeros({3, 2, 1, 4}), zeros({3, 2, 1, 4})));
  cache.reset();
  EXPECT_EQ(cache.length(), 0);
}

TEST(transformer_layers_are_made_of_their_parts) {
  random::seed(0);
  const UsingConfig test(&Config::train, false);
  const Variable x = normal({2, 5, 8}), memory = normal({2, 3, 8});
  for (const bool first : {false, true}) {
    L::TransformerEncoderLayer e(8, 2, {.feedforward = 10, .activation = F::swiglu, .norm_first = first});
    const auto forward = [](auto& layer, const Variable& h) {
      return layer.linear2(F::swiglu(layer.linear1(h, 2)), 2);
    };
    Variable h = first ? x + e.attention(e.norm1(x, 2)) : e.norm1(x + e.attention(x), 2);
    h = first ? h + forward(e, e.norm2(h, 2)) : e.norm2(h + forward(e, h), 2);
    EXPECT_CLOSE(e(x).array(), h.array(), {.atol = 1e-5});
    EXPECT_EQ(e.linear2.W.shape(), Shape({8, 5}));

    L::TransformerDecoderLayer d(8, 2, {.feedforward = 10, .activation = F::swiglu, .norm_first = first});
    h = first ? x + d.attention(d.norm1(x, 2)) : d.norm1(x + d.attention(x), 2);
    h = first ? h + d.memory_attention(d.norm2(h, 2), memory) : d.norm2(h + d.memory_attention(h, memory), 2);
    h = first ? h + forward(d, d.norm3(h, 2)) : d.norm3(h + forward(d, h), 2);
    EXPECT_CLOSE(d(x, memory).array(), h.array(), {.atol = 1e-5});

    // Every parameter has a gradient, also after a file.
    const std::string file = (test::folder / "transformer.npz").string();
    serializers::save_npz(file, d);
    L::TransformerDecoderLayer loaded(8, 2, {.feedforward = 10, .activation = F::swiglu, .norm_first = first});
    (void)loaded(x, memory);
    serializers::load_npz(file, loaded);
    loaded.cleargrads();
    F::sum(F::square(loaded(x, memory))).backward();
    for (const auto& [name, p] : loaded.namedparams())
      EXPECT(p.grad() && (sum(absolute(p.grad())).item<double>() > 0 || name.ends_with("key/b")));
    EXPECT_CLOSE(loaded(x, memory).array(), h.array(), {.atol = 1e-5});
  }
  L::TransformerDecoderLayer d(8, 2, {.dropout = 0, .rotary = true});
  const NoBackpropMode none;
  const Array whole = d(x, memory).array();
  L::AttentionCache cache, memory_cache;
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_CLOSE(d(Variable(x.array()[{Slice(), Slice(i, i + 1)}]), memory,
                   L::AttentionContext{.cache = &cache, .memory_cache = &memory_cache})
                     .array(),
                 whole[{Slice(), Slice(i, i + 1)}], {.atol = 1e-5});
  EXPECT_EQ(memory_cache.length(), 3);
}

TEST(low_rank_adapts_a_linear) {
  random::seed(0);
  const Variable x = normal({4, 3, 6});
  L::Linear linear(6, 5);
  const Array before = linear(x, 2).array(), w = linear.W.array().copy();
  L::LowRank adapted(std::move(linear), 2, {.alpha = 3});
  EXPECT_CLOSE(adapted(x, 2).array(), before);
  adapted.cleargrads();
  adapted.up.set_array(normal({5, 2}).array());
  F::sum(F::square(adapted(x, 2))).backward();
  EXPECT(adapted.down.grad() && adapted.up.grad());
  EXPECT(!adapted.linear.W.grad() && !adapted.linear.b->grad());
  const Array y = adapted(x, 2).array();
  EXPECT_CLOSE(y, before + matmul(matmul(x.array(), adapted.down.array().T()), adapted.up.array().T()) * 1.5,
               {.atol = 1e-5});
  adapted.merge();
  EXPECT(adapted.is_merged());
  EXPECT_CLOSE(adapted(x, 2).array(), y, {.atol = 1e-5});
  EXPECT_CLOSE(adapted.linear(x, 2).array(), y, {.atol = 1e-5});
  EXPECT_THROW(RuntimeError, "merged already", adapted.merge());
  EXPECT_THROW(RuntimeError, "unmerge()", serializers::save_npz((test::folder / "low_rank.npz").string(), adapted));
  adapted.unmerge();
  EXPECT(adapted.linear.W.array().to_vector<float>() == w.to_vector<float>());
  EXPECT_THROW(RuntimeError, "not merged", adapted.unmerge());

  L::LowRank later(L::Linear(5), 2);
  EXPECT_THROW(RuntimeError, "unknown", later.merge());
  EXPECT_EQ(later(x, 2).shape(), Shape({4, 3, 5}));
  EXPECT_EQ(later.down.shape(), Shape({2, 6}));
  EXPECT_THROW(ValueError, "rank", L::LowRank(L::Linear(5), 0));
}
