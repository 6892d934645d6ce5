// SPDX-License-Identifier: MIT
// The time of a function must not depend on the values: neither on those that a vector function hands to a slower
// scalar one (masked scores, infinities, NaN), nor on whether a branch on them can be predicted.
#include <chainer/chainer.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "chainer/core/parallel.h"
#include "chainer/core/sanitizer.h"
#include "test.h"

using namespace chainer;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
using Compute = std::function<Variable(const Variable&)>;

Array normal() {
  static const Array a = random::RandomState(1).normal(0, 1, {256, 256}, float32);
  return a;
}
// Replaces a part of the values, which are not in a pattern.
Array mixed(float value, double part) {
  const Array chosen = random::RandomState(2).uniform(0, 1, {256, 256}, float32) < part;
  return where(chosen, full({256, 256}, value, float32), normal()).copy();
}

double seconds(const Compute& f, const Array& values) {
  const Variable x(values);
  const auto begin = std::chrono::steady_clock::now();
  (void)f(x).array().raw();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void expect_same_time(const char* function, const Compute& f, const char* values, const Array& special,
                      const Array& ordinary) {
  const NoBackpropMode none;
  double usual = 1, unusual = 1;
  const auto measure = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      usual = std::min(usual, seconds(f, ordinary));
      unusual = std::min(unusual, seconds(f, special));
    }
  };
  const auto fits = [&] { return unusual <= 2.5 * usual + 5e-6; };
  measure(5);
  if (!fits()) measure(60);
  ++test::expectations;
  if (!fits())
    test::fail(function, 0, text(values, " take ", unusual * 1e6, " us, other numbers ", usual * 1e6, " us"));
}

}  // namespace

TEST(masked_scores_take_the_time_of_others) {
  if (kSanitized) return;
  cpu::set_thread_count(1);
  const std::vector<std::pair<const char*, Compute>> functions{
      {"exp", [](const Variable& x) { return F::exp(x); }},
      {"sigmoid", [](const Variable& x) { return F::sigmoid(x); }},
      {"silu", [](const Variable& x) { return F::silu(x); }},
      {"softmax", [](const Variable& x) { return F::softmax(x); }},
      {"log_softmax", [](const Variable& x) { return F::log_softmax(x); }},
      {"logsumexp", [](const Variable& x) { return F::logsumexp(x, 1); }},
      {"softmax over columns", [](const Variable& x) { return F::softmax(x, 0); }},
      {"relu", [](const Variable& x) { return F::relu(x); }},
      {"clip", [](const Variable& x) { return F::clip(x, -1, 1); }},
      {"max", [](const Variable& x) { return F::max(x, 1); }},
      {"erf", [](const Variable& x) { return F::erf(x); }},
      {"layer_normalization", [](const Variable& x) { return F::layer_normalization(x, ones({256}), zeros({256})); }},
  };
  const std::vector<std::pair<const char*, Array>> values{
      {"scores of which half are -1e9", mixed(-1e9f, 0.5)}, {"scores of which half are -inf", mixed(-kInfinity, 0.5)},
      {"numbers of which a tenth is NaN", mixed(NAN, 0.1)}, {"scores of which a tenth is 100", mixed(100, 0.1)},
      {"scores of which half are -90", mixed(-90, 0.5)},    {"numbers of which half are 1e-40", mixed(1e-40f, 0.5)},
  };
  for (const auto& [function, f] : functions)
    for (const auto& [name, special] : values) expect_same_time(function, f, name, special, normal());
  cpu::set_thread_count(0);
}

// The values are the mask, which is added to the scores.
TEST(masked_attention_takes_the_time_of_other_attention) {
  if (kSanitized) return;
  cpu::set_thread_count(1);
  const Variable q(normal().reshape({1, 8, 256, 32}));
  const Compute attention = [&q](const Variable& mask) {
    return F::scaled_dot_product_attention(q, q, q, {.mask = mask.array()});
  };
  for (const auto& [name, value] : {std::pair{"-1e9", -1e9f}, std::pair{"-inf", -kInfinity}})
    expect_same_time("scaled_dot_product_attention", attention, name, mixed(value, 0.5), normal());
  cpu::set_thread_count(0);
}

TEST(pooling_takes_the_same_time_for_values_that_no_processor_predicts) {
  if (kSanitized) return;
  cpu::set_thread_count(1);
  for (const int64_t k : {2, 3}) {
    const Compute pool = [k](const Variable& x) { return F::max_pooling_2d(F::reshape(x, {4, 16, 32, 32}), k); };
    const Compute gradient = [k](const Variable& x) {
      const ForceBackpropMode mode;
      const Variable in(x.array());
      return grad({F::max_pooling_2d(F::reshape(in, {4, 16, 32, 32}), k)}, {in})[0];
    };
    expect_same_time("max_pooling_2d", pool, "normal numbers", normal(), zeros({256, 256}));
    expect_same_time("the gradient of max_pooling_2d", gradient, "normal numbers", normal(), zeros({256, 256}));
  }
  cpu::set_thread_count(0);
}
