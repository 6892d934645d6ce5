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
