// SPDX-License-Identifier: MIT
// Truncated backpropagation: the part that is cut off is freed at once, and gradients of weights are added up in place.
#include <chainer/chainer.h>

#include "chainer/array/memory.h"
#include "test.h"

using namespace chainer;

namespace {

struct LanguageModel : Chain {
  L::EmbedID embed{50, 16};
  L::LSTM lstm{16, 16};
  L::Linear out{16, 50};
  CHAINER_MEMBERS(LanguageModel, embed, lstm, out);
};

Variable window(LanguageModel& model, int64_t steps) {
  Variable loss;
  for (int64_t t = 0; t < steps; ++t) {
    const Array words = (arange(8) * 3 + t) % 50;
    const Variable y = model.out(model.lstm(model.embed(words.astype(int32))));
    const Variable step = F::softmax_cross_entropy(y, ((words * 7 + 1) % 50).astype(int32));
    loss = loss ? loss + step : step;
  }
  return loss;
}

}  // namespace

TEST(memory_stays_flat_over_a_thousand_windows) {
  random::seed(2);
  LanguageModel model;
  auto optimizer = optimizers::SGD({.lr = 0.1}).setup(model);
  int64_t after_ten = 0, peak_after_ten = 0;
  Variable first;
  for (int i = 0; i < 1000; ++i) {
    Variable loss = window(model, 5);
    if (i == 0) first = Variable(loss.array().copy(), false);
    model.cleargrads();
    loss.backward();
    loss.unchain_backward();
    optimizer.update();
    if (i == 9) {
      after_ten = memory::statistics().in_use;
      memory::reset_peak();
      window(model, 5).unchain_backward();
      peak_after_ten = memory::statistics().peak;
      memory::reset_peak();
    }
    if (i == 999) { EXPECT(loss.item<double>() < first.item<double>()); }
  }
  EXPECT(memory::statistics().in_use <= after_ten);
  EXPECT(memory::statistics().peak < 3 * peak_after_ten);
}

// The graph is freed when it is cut, even if the loss still exists; the state keeps its values.
TEST(unchain_backward_frees_at_once) {
  LanguageModel model;
  Variable loss = window(model, 20);
  const int64_t with_graph = memory::statistics().in_use;
  loss.unchain_backward();
  EXPECT(memory::statistics().in_use < with_graph);
  EXPECT(!model.lstm.h.creator() && !model.lstm.c.creator());
  EXPECT_EQ(model.lstm.h.shape(), Shape({8, 16}));
}

// The gradient over a whole window is the sum over its steps, no matter how it is added up.
TEST(gradients_of_repeated_weights_add_up) {
  L::LSTM lstm(3, 2);
  const Variable x(ones({4, 3}));
  const auto gradient = [&](bool graph) {
    lstm.reset_state();
    lstm.cleargrads();
    Variable sum;
    for (int i = 0; i < 4; ++i) {
      const Variable y = F::sum(lstm(x));
      sum = sum ? sum + y : y;
    }
    sum.backward({.enable_double_backprop = graph});
    return lstm.lateral.W.grad().copy();
  };
  EXPECT_CLOSE(gradient(false), gradient(true), {.atol = 1e-6});
}

// Weights and word vectors that many functions read: the gradients equal those added one by one, with the memory of
// two.
TEST(gradients_of_many_steps_are_joined) {
  random::seed(5);
  L::Linear linear(40, 60);
  L::EmbedID embed(30, 40);
  const auto loss = [&](int64_t t) { return F::sum(F::tanh(linear(embed(((arange(7) + t) % 30).astype(int32))))); };
  const auto clear = [&] { linear.cleargrads(), embed.cleargrads(); };
  Array W = zeros({60, 40}), words = zeros({30, 40});
  const int64_t steps = 400;  // 2800 rows: added up on the way and at the end
  for (int64_t t = 0; t < steps; ++t) {
    clear();
    loss(t).backward();
    W += linear.W.grad(), words += embed.W.grad();
  }
  clear();
  Variable sum = loss(0);
  for (int64_t t = 1; t < steps; ++t) sum = sum + loss(t);
  sum.backward();
  EXPECT_CLOSE(linear.W.grad(), W, {.atol = 1e-2, .rtol = 1e-4});
  EXPECT_CLOSE(embed.W.grad(), words, {.atol = 1e-2, .rtol = 1e-4});
  // A gradient that a caller holds does not change when more is added.
  const Array kept = linear.W.grad(), before = kept.copy();
  Variable more = loss(0) + loss(1);
  more.backward();
  EXPECT_CLOSE(kept, before, {.atol = 0});
  EXPECT(any(linear.W.grad() != kept).item<bool>());
}

// The gradient of a weight that 35 steps share needs no temporary of the weight's size per step: all allocations of
// backward() together are a few times the size of the weight, not 35 times.
TEST(no_temporary_of_a_weight_is_made_a_step) {
  random::seed(6);
  constexpr int64_t kUnits = 512, kSteps = 35;
  L::LSTM lstm(kUnits, kUnits);
  const Array x = random::uniform(-1, 1, {2, kUnits}, float32);
  const auto run = [&](int64_t steps) {
    lstm.reset_state();
    lstm.cleargrads();
    Variable loss;
    for (int64_t t = 0; t < steps; ++t) {
      const Variable y = F::sum(lstm(x));
      loss = loss ? loss + y : y;
    }
    const int64_t before = memory::statistics().allocated_total;
    loss.backward();
    return memory::statistics().allocated_total - before;
  };
  (void)run(2);
  const int64_t few = run(5), many = run(kSteps), weight = lstm.lateral.W.array().nbytes();
  EXPECT_EQ(weight, lstm.upward.W.array().nbytes());
  std::printf("  backward of 5 and of %d steps allocates %.1f and %.1f times a weight\n", static_cast<int>(kSteps),
              static_cast<double>(few) / static_cast<double>(weight),
              static_cast<double>(many) / static_cast<double>(weight));
  EXPECT(many < 6 * weight);
  EXPECT(many - few < weight);  // thirty more steps allocate less than one weight
}
