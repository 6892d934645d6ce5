// SPDX-License-Identifier: MIT
// Stacks of layers of transformers: their parts, layers that are computed again, and caches.
#include <chainer/chainer.h>

#include <map>

#include "chainer/array/memory.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

Variable normal(const Shape& s) { return Variable(random::normal(0, 1, s, float32), true); }

// The loss of a stack after one pass, with dropout, and all gradients.
template <class Stack, class... Memory>
std::map<std::string, Array> gradients(bool checkpoint, const Variable& x, const Memory&... memory) {
  random::seed(3);
  Stack stack(3, 8, 2, {.dropout = 0.3, .norm_first = true}, {.checkpoint = checkpoint});
  const Variable in(x.array(), true);
  const std::array<Variable, sizeof...(Memory)> seen{Variable(memory.array(), true)...};
  const Variable y = std::apply([&](const auto&... m) { return stack(in, m...); }, seen);
  stack.cleargrads();
  F::sum(y * F::exp(y)).backward();
  std::map<std::string, Array> out{{"y", y.array()}, {"x", in.grad()}};
  for (std::size_t i = 0; i < seen.size(); ++i) out["memory"] = seen[i].grad();
  for (const auto& [name, p] : stack.namedparams()) out[name] = p.grad();
  return out;
}

void expect_same(const std::map<std::string, Array>& a, const std::map<std::string, Array>& e) {
  EXPECT_EQ(a.size(), e.size());
  for (const auto& [name, value] : e) {
    EXPECT(sum(absolute(value)).item<float>() > 0 || name.ends_with("key/b"));
    EXPECT_CLOSE(a.at(name), value, {.atol = 1e-6, .rtol = 1e-5});
  }
}

}  // namespace

TEST(stacks_are_made_of_layers) {
  random::seed(0);
  const UsingConfig test(&Config::train, false);
  const Variable x = normal({2, 5, 8}), memory = normal({2, 3, 6});
  L::TransformerEncoder e(2, 8, 2, {.norm_first = true});
  EXPECT_CLOSE(e(x).array(), (*e.norm)((*e.layers[1])((*e.layers[0])(x)), 2).array());
  EXPECT(!L::TransformerEncoder(2, 8, 2).norm);
  EXPECT(L::TransformerEncoder(2, 8, 2, {}, {.norm = true}).norm != nullptr);
  EXPECT_CLOSE(L::TransformerEncoder(0, 8, 2)(x).array(), x.array());
  EXPECT_THROW(ValueError, "must not be negative, got -1", L::TransformerEncoder(-1, 8, 2));

  L::TransformerDecoder d(2, 8, 2);
  const Variable y = d(x, memory);
  EXPECT_CLOSE(y.array(), (*d.layers[1])((*d.layers[0])(x, memory), memory).array());
  const std::string file = (test::folder / "stack.npz").string();
  serializers::save_npz(file, d);
  L::TransformerDecoder loaded(2, 8, 2);
  serializers::load_npz(file, loaded);
  EXPECT_CLOSE(loaded(x, memory).array(), y.array());
  L::TransformerDecoder other = d.copy(CopyMode::copy);
  Array weights = other.layers[0]->linear1.W.array();
  weights.fill(0);
  EXPECT_CLOSE(d(x, memory).array(), y.array());
}

TEST(layers_computed_again_have_the_same_gradients) {
  const Variable x = normal({2, 5, 8}), memory = normal({2, 3, 6});
  expect_same(gradients<L::TransformerEncoder>(true, x), gradients<L::TransformerEncoder>(false, x));
  expect_same(gradients<L::TransformerDecoder>(true, x, memory), gradients<L::TransformerDecoder>(false, x, memory));
}

TEST(layers_computed_again_are_trained_on_arrays) {
  L::TransformerEncoder e(2, 8, 2, {.dropout = 0, .norm_first = true}, {.checkpoint = true});
  const Array x = normal({2, 3, 8}).array();
  (void)e(x);
  e.cleargrads();
  F::sum(e(x) * F::exp(e(x))).backward();
  for (const auto& [name, p] : e.namedparams())
    EXPECT(p.grad() && (sum(absolute(p.grad())).item<float>() > 0 || name.ends_with("key/b")));
  EXPECT_THROW(TypeError, "the memory is an empty variable", L::TransformerDecoder(1, 8, 2)(x, Variable()));
  EXPECT_THROW(ValueError, "the activation is an empty function", L::TransformerEncoder(1, 8, 2, {.activation = {}}));
}

TEST(graphs_of_layers_computed_again_outlive_their_stack) {
  const Variable x = normal({1, 4, 8});
  Variable loss;
  Variable W;
  {
    L::TransformerEncoder stack(2, 8, 2, {}, {.checkpoint = true});
    W = stack.layers[0]->linear1.W;
    loss = F::sum(stack(x) * normal({1, 4, 8}));
    stack.cleargrads();
  }
  loss.backward();
  EXPECT(W.grad() && sum(absolute(W.grad())).item<float>() > 0);
}

TEST(layers_computed_again_keep_their_inputs_only) {
  const Variable x(random::normal(0, 1, {4, 64, 64}, float32), false);
  int64_t peaks[2];
  for (const bool checkpoint : {false, true}) {
    L::TransformerEncoder stack(8, 64, 4, {.dropout = 0}, {.checkpoint = checkpoint});
    (void)stack(x);  // creates the weights
    memory::reset_peak();
    const int64_t before = memory::statistics().in_use;
    const Variable loss = F::sum(stack(x));
    stack.cleargrads();
    loss.backward();
    peaks[checkpoint] = memory::statistics().peak - before;
  }
  EXPECT(peaks[1] * 2 < peaks[0]);
}

TEST(stacks_generate_from_caches) {
  random::seed(1);
  const NoBackpropMode none;
  const UsingConfig test(&Config::train, false);
  const Array x = normal({2, 6, 8}).array(), memory = normal({2, 3, 8}).array();
  L::TransformerEncoder e(3, 8, 2, {.norm_first = true, .causal = true, .rotary = true}, {.checkpoint = true});
  L::TransformerDecoder d(3, 8, 2);
  const Array of_e = e(x).array(), of_d = d(x, memory).array();
  std::vector<L::AttentionCache> caches, own, seen;
  for (int64_t i = 0; i < 6; ++i) {
    const Array now = x[{Slice(), Slice(i, i + 1)}];
    EXPECT_CLOSE(e(now, L::TransformerContext{.caches = &caches}).array(), of_e[{Slice(), Slice(i, i + 1)}],
                 {.atol = 1e-5});
    EXPECT_CLOSE(d(now, memory, L::TransformerContext{.caches = &own, .memory_caches = &seen}).array(),
                 of_d[{Slice(), Slice(i, i + 1)}], {.atol = 1e-5});
  }
  EXPECT_EQ(caches.size(), 3u);
  EXPECT_EQ(seen[2].length(), 3);
  caches.pop_back();
  EXPECT_THROW(ValueError, "expected 3 caches, one for each layer, got 2",
               e(x, L::TransformerContext{.caches = &caches}));
}

TEST(caches_are_values) {
  const NoBackpropMode none;
  const UsingConfig test(&Config::train, false);
  const Array x = normal({1, 7, 8}).array();
  L::TransformerEncoder e(2, 8, 2, {.norm_first = true, .causal = true});
  const auto at = [&](int64_t i) { return x[{Slice(), Slice(i, i + 1)}]; };
  const Array whole = e(x).array();
  std::vector<L::AttentionCache> a;
  (void)e(x[{Slice(), Slice(0, 4)}], L::TransformerContext{.caches = &a});
  (void)e(at(4), L::TransformerContext{.caches = &a});
  std::vector<L::AttentionCache> b = a;  // another continuation
  (void)e(at(5), L::TransformerContext{.caches = &a});
  (void)e(at(0), L::TransformerContext{.caches = &b});
  EXPECT_CLOSE(e(at(6), L::TransformerContext{.caches = &a}).array(), whole[{Slice(), Slice(6, 7)}], {.atol = 1e-5});
  EXPECT_EQ(b[0].length(), 6);
  b[0].truncate(2);
  EXPECT_EQ(b[0].keys().shape()[2], 2);
  EXPECT_THROW(ValueError, "a length of 3 is not in 0 ... 2", b[0].truncate(3));
}

TEST(caches_keep_their_lengths_if_a_call_fails) {
  const NoBackpropMode none;
  const UsingConfig test(&Config::train, false);
  const Array x = normal({1, 4, 8}).array(), memory = normal({1, 3, 8}).array(), wrong = ones({1, 1, 1, 77}, bool_);
  L::TransformerEncoder e(2, 8, 2, {.causal = true});
  L::TransformerDecoder d(2, 8, 2);
  const Array of_e = e(x).array(), of_d = d(x, memory).array();
  std::vector<L::AttentionCache> caches, own, seen;
  const auto part = [&](int64_t from, int64_t to) { return x[{Slice(), Slice(from, to)}]; };
  (void)e(part(0, 2), L::TransformerContext{.caches = &caches});
  (void)d(part(0, 2), memory, L::TransformerContext{.caches = &own, .memory_caches = &seen});
  EXPECT_THROW(DimensionError, "a mask of shape (1, 1, 1, 77) does not",
               e(part(2, 4), L::TransformerContext{.mask = wrong, .caches = &caches}));
  EXPECT_THROW(
      DimensionError, "mask",
      d(part(2, 4), memory, L::TransformerContext{.caches = &own, .memory_mask = wrong, .memory_caches = &seen}));
  for (std::size_t i = 0; i < 2; ++i) EXPECT(caches[i].length() == 2 && own[i].length() == 2 && seen[i].length() == 3);
  EXPECT_CLOSE(e(part(2, 4), L::TransformerContext{.caches = &caches}).array(), of_e[{Slice(), Slice(2, 4)}],
               {.atol = 1e-5});
  EXPECT_CLOSE(d(part(2, 4), memory, L::TransformerContext{.caches = &own, .memory_caches = &seen}).array(),
               of_d[{Slice(), Slice(2, 4)}], {.atol = 1e-5});
  // A first call that fails leaves empty caches, for another batch.
  std::vector<L::AttentionCache> fresh;
  EXPECT_THROW(DimensionError, "a mask of shape (1, 1, 1, 77) does not",
               e(x, L::TransformerContext{.mask = wrong, .caches = &fresh}));
  EXPECT_EQ(e(normal({3, 4, 8}), L::TransformerContext{.caches = &fresh}).shape(), Shape({3, 4, 8}));
  std::vector<L::AttentionCache> none_yet;
  EXPECT_EQ(e(zeros({1, 0, 8}), L::TransformerContext{.caches = &none_yet}).shape(), Shape({1, 0, 8}));
  L::AttentionCache one;
  EXPECT_THROW(DimensionError, "different examples, heads or positions",
               one.append(zeros({1, 1, 2, 2}), zeros({1, 1, 1, 2})));
  one.append(zeros({1, 1, 2, 2}), zeros({1, 1, 2, 2}));
  EXPECT_THROW(TypeError, "expected keys and values of float32",
               one.append(zeros({1, 1, 2, 2}, float64), zeros({1, 1, 2, 2}, float64)));
}
