// SPDX-License-Identifier: MIT
// inference::prepare() gives the results of the link in test mode, for all kinds of calls, threads and inputs.
#include <chainer/chainer.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <thread>

#include "chainer/core/parallel.h"
#include "chainer/core/sanitizer.h"
#include "test.h"

using namespace chainer;

namespace {

struct Net : Chain {
  L::Convolution2D conv{1, 4, 3, {.pad = 1}};
  L::BatchNormalization bn{4};
  L::Linear l1{100, 20}, l2{20, 5};
  CHAINER_MEMBERS(Net, conv, bn, l1, l2);
  Variable forward(const Variable& x) {
    const Variable h = F::max_pooling_2d(F::relu(bn(conv(x))), 2);
    return l2(F::dropout(F::tanh(l1(F::reshape(h, {x.shape(0), 100})))));
  }
};

struct Tagger : Chain {
  L::EmbedID embed{20, 6};
  L::NStepLSTM lstm{1, 6, 7, 0.0};
  L::Linear out{7, 3};
  CHAINER_MEMBERS(Tagger, embed, lstm, out);
  Variable forward(const Variable& x) {
    const auto y = lstm(Variable(), Variable(), Variables{embed(x)});
    return out(y.ys[0]);
  }
};

struct Scaled : Chain {
  Parameter w{initializers::Uniform(), Shape{5000}};
  CHAINER_MEMBERS(Scaled, w);
  Variable forward(const Variable& x) { return F::tanh(x * w); }
};

struct Pooled : Chain {
  L::Linear l{2, 4};
  CHAINER_MEMBERS(Pooled, l);
  Variable forward(const Variable& x) { return l(F::average_pooling_2d(x, {x.shape(2), x.shape(3)})); }
};

struct WithConstants : Chain {
  L::Linear l{3, 2};
  Parameter w{initializers::Uniform(), Shape{4}};
  CHAINER_MEMBERS(WithConstants, l, w);
  Variables forward(const Variables& x) { return {l(x[0]), w * 2, w.variable(), F::reshape(w.variable(), {2, 2})}; }
};

// Large convolutions whose activations run after each part of the results: by Winograd's algorithm, and by images.
struct Wide : Chain {
  L::Convolution2D first{3, 32, 3, {.pad = 1}}, second{32, 48, 3, {.pad = 1}}, third{48, 96, 1}, last{96, 16, 1};
  CHAINER_MEMBERS(Wide, first, second, third, last);
  Variable forward(const Variable& x) {
    const Variable h = F::relu(second(F::clip(first(x), -1, 1)));
    return last(F::clip(third(h), 0, 0.5) + 1);
  }
};

Array picture(int64_t n, uint64_t seed) {
  random::seed(seed);
  return random::normal(0, 1, {n, 1, 10, 10}, float32);
}
// A network whose running statistics differ from their initial values.
Net trained() {
  random::seed(1);
  Net net;
  auto optimizer = optimizers::SGD({.lr = 0.1}).setup(net);
  for (int i = 0; i < 3; ++i) {
    const Variable loss = F::sum(F::square(net(Variable(picture(8, 10 + static_cast<uint64_t>(i)))))) / 100;
    net.cleargrads();
    loss.backward();
    optimizer.update();
  }
  return net;
}
template <class L>
Array answer(L& link, const Array& x) {
  const UsingConfig test(&Config::train, false);
  const NoBackpropMode no_graph;
  return link(Variable(x, false)).array();
}
void expect_near(const Array& a, const Array& b) {
  EXPECT_EQ(a.shape(), b.shape());
  EXPECT(max(abs(a - b)).item<double>() <= 1e-5 * (1 + max(abs(b)).item<double>()));
}

}  // namespace

TEST(a_prepared_network_answers_as_the_link_does) {
  Net net = trained();
  const inference::Prepared ready = inference::prepare(net, {Variable(picture(1, 2), false)});
  EXPECT_EQ(ready.operator_count() > 0, true);
  uint64_t seed = 100;
  for (int round = 0; round < 4; ++round)
    for (const int64_t n : {1, 3, 32, 1, 7}) {
      const Array x = picture(n, ++seed);
      expect_near(ready(x), answer(net, x));
    }
  // All memory layouts give the same values.
  const Array wide = picture(6, 3);
  const Array turned = wide.transpose({0, 1, 3, 2});
  for (int i = 0; i < 3; ++i) {
    expect_near(ready(turned), answer(net, turned.copy()));
    expect_near(ready(wide[{Slice({}, {}, 2)}]), answer(net, wide[{Slice({}, {}, 2)}].copy()));
  }
  EXPECT_EQ(ready.refused_replay(), "");
}

TEST(activations_behind_parts_of_large_convolutions) {
  random::seed(4);
  Wide net;
  const Array x = random::normal(0, 1, {5, 3, 57, 70}, float32), expected = answer(net, x).copy();
  const int before = cpu::thread_count();
  for (const int threads : {1, 2, 3, 7}) {
    cpu::set_thread_count(threads);
    const inference::Prepared ready = inference::prepare(net, {Variable(x, false)});
    for (int i = 0; i < 3; ++i) expect_near(ready(x), expected);
    // The same bits in each replay, also for a single image.
    const Array again = ready(x);
    EXPECT(all(again == ready(x)).item<bool>());
    expect_near(ready(x[{Slice(2, 3)}].copy()), expected[{Slice(2, 3)}].copy());
    EXPECT_EQ(ready.refused_replay(), "");
  }
  cpu::set_thread_count(before);
}

TEST(results_of_a_prepared_network_are_the_callers) {
  Net net = trained();
  const inference::Prepared ready = inference::prepare(net, {Variable(picture(2, 2), false)});
  const Array first = ready(picture(2, 5));
  const Array kept = first.copy();
  for (uint64_t i = 0; i < 5; ++i) (void)ready(picture(2, 20 + i));
  EXPECT(all(first == kept).item<bool>());
  Array mine = ready(picture(2, 5));
  mine.fill(7);
  expect_near(ready(picture(2, 5)), kept);
  EXPECT_EQ(ready.refused_replay(), "");
}

TEST(outputs_that_do_not_depend_on_the_input_are_the_callers_too) {
  WithConstants net;
  const inference::Prepared ready = inference::prepare(net, {Variable(ones({1, 3}), false)});
  const Array w = net.w.array().copy();
  for (const int64_t n : {1, 5, 5, 5, 7, 1, 5}) {  // for each shape a first call, a recording call, replays
    Arrays y = ready(Arrays{ones({n, 3})});
    EXPECT_CLOSE(y[1], w * 2);
    EXPECT_CLOSE(y[2], w);
    EXPECT_CLOSE(y[3], w.reshape({2, 2}));
    for (Array& a : y) a.fill(7);
  }
}

TEST(a_prepared_network_stays_as_it_was) {
  Net net = trained();
  const Array x = picture(4, 3);
  const inference::Prepared ready = inference::prepare(net, {Variable(x, false)});
  const Array before = ready(x).copy();
  for (const Parameter& p : net.params()) {
    Array w = p.array();
    w += 1;
  }
  expect_near(ready(x), before);
  EXPECT_EQ(ready.refused_replay(), "");
}

TEST(threads_share_a_prepared_network) {
  Net net = trained();
  const inference::Prepared ready = inference::prepare(net, {Variable(picture(1, 2), false)});
  std::vector<Array> questions, answers;
  for (uint64_t i = 0; i < 8; ++i) {
    questions.push_back(picture(1 + static_cast<int64_t>(i % 3), 50 + i));
    answers.push_back(answer(net, questions.back()).copy());
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t k = (i * 3 + t) % questions.size();
        if (max(abs(ready(questions[k]) - answers[k])).item<double>() > 1e-4) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(ready.refused_replay(), "");
}

TEST(a_prepared_network_asks_the_system_for_nothing_when_it_is_warm) {
  Net net = trained();
  const Array x = picture(16, 3);
  const inference::Prepared ready = inference::prepare(net, {Variable(x, false)});
  for (int i = 0; i < 3; ++i) (void)ready(x);
  const auto before = memory::statistics();
  for (int i = 0; i < 20; ++i) (void)ready(x);
  if (!kSanitized) EXPECT_EQ(memory::statistics().system_requests, before.system_requests);
  EXPECT_EQ(memory::statistics().allocations, before.allocations + 20);  // the arrays that were returned
  EXPECT_EQ(ready.refused_replay(), "");
}

TEST(more_shapes_than_are_kept) {
  Net net = trained();
  const inference::Prepared ready = inference::prepare(net, {Variable(picture(1, 2), false)});
  for (int round = 0; round < 3; ++round)
    for (int64_t n = 1; n <= 12; ++n) {
      const Array x = picture(n, static_cast<uint64_t>(n + round));
      expect_near(ready(x), answer(net, x));
    }
  EXPECT_EQ(ready.refused_replay(), "");
}

TEST(wrong_inputs_of_a_prepared_network_are_refused) {
  Net net = trained();
  const inference::Prepared ready = inference::prepare(net, {Variable(picture(1, 2), false)});
  EXPECT_THROW(TypeError, "float64", ready(zeros({1, 1, 10, 10}, float64)));
  EXPECT_THROW(TypeError, "(1, 10, 10)", ready(zeros({1, 10, 10}, float32)));
  EXPECT_THROW(ValueError, "got 0", ready(Arrays{}));
  EXPECT_THROW(TypeError, "Expect: (any, 1, 10, 10)\nActual: (2, 1, 10, 11)", ready(zeros({2, 1, 10, 11}, float32)));
  const Array x = picture(1, 9);
  expect_near(ready(x), answer(net, x));
  EXPECT_EQ(ready.refused_replay(), "");
}

TEST(ids_that_an_embedding_refuses_are_refused) {
  for (const std::optional<int64_t> ignored : {std::optional<int64_t>(), std::optional<int64_t>(-1)}) {
    L::EmbedID table(4, 3, {.ignore_label = ignored});
    const inference::Prepared net = inference::prepare(table, {Variable(array({0, 1, 2}), false)});
    const UsingConfig test_mode(&Config::train, false);
    const Array good = array({3, 0, 1}), ignoring = array({3, -1, 1});
    EXPECT_CLOSE(net(good), table(Variable(good, false)).array());
    if (ignored) EXPECT_CLOSE(net(ignoring), table(Variable(ignoring, false)).array());
    for (const Array& bad : {array({0, -2, 1}), array({0, 4, 1}), ignored ? array({0, -3, 1}) : ignoring})
      EXPECT_THROW(Error, "", (void)net(bad));
  }
}

namespace {
struct Branching : Chain {
  L::Linear l{3, 3};
  int kind = 0;
  int64_t limit = 0;
  CHAINER_MEMBERS(Branching, l);
  Variable forward(const Variable& x) {
    const Variable h = l(x);
    if (kind == 0 && sum(x.array()).item<float>() > 0) return h * 2;
    if (kind == 1 && F::sum(F::tanh(h)).array().item<float>() > 0) return h * 2;
    if (kind == 2) {
      Array mask = h.array().copy();
      auto* m = static_cast<float*>(mask.mutable_raw());
      for (int64_t i = 0; i < mask.size(); ++i) m[i] = m[i] > 0 ? 1 : 2;
      return h * mask;
    }
    if (kind == 3 && l.W.array()[{0, 0}].item<float>() > 1e9) return h * 2;  // the same branch for all inputs
    if (kind == 4 && x.shape()[1] > 2) return h * 2;
    if (kind == 5 && x.shape()[0] > limit) return F::tanh(h);
    return h;
  }
};
}  // namespace

TEST(branches_by_numbers_are_refused) {
  Branching net;
  const Variables x = {Variable(ones({2, 3}))};
  for (net.kind = 0; net.kind < 3; ++net.kind)
    EXPECT_THROW(ValueError, "outside of functions", inference::prepare(net, x));
  for (; net.kind < 5; ++net.kind) EXPECT_CLOSE(inference::prepare(net, x)(x[0].array()), net.forward(x[0]).array());
}

TEST(convolutions_are_computed_as_where_they_were_prepared) {
  L::Convolution2D link(64, 64, 3, {.pad = 1});
  Array x = random::normal(0, 1, {1, 64, 32, 32}, float32);
  const auto not_numbers = [](const Array& y) { return count_nonzero(not_equal(y, y)).item<int64_t>(); };
  onnx::Model imported = onnx::Model::from_bytes(onnx::export_model(link, {Variable(x, false)}));
  std::vector<inference::Prepared> prepared;
  for (const bool winograd : {true, false}) {
    const UsingConfig way(&Config::winograd, winograd);
    prepared.push_back(inference::prepare(link, {Variable(x, false)}));
  }
  x.set({0, 3, 9, 9}, std::numeric_limits<float>::quiet_NaN());
  for (const bool winograd : {true, false, true, false}) {
    const UsingConfig way(&Config::winograd, winograd);
    for (int call = 0; call < 3; ++call) {
      EXPECT_EQ(not_numbers(prepared[1](x)), 9 * 64);
      EXPECT_EQ(not_numbers(answer(imported, x)), not_numbers(answer(link, x)));
      if (!std::getenv("CHAINER_CONVOLUTION")) EXPECT(not_numbers(prepared[0](x)) > 9 * 64);
    }
  }
}

TEST(branches_on_the_length_of_a_batch_are_noticed) {
  Branching net;
  net.kind = 5;
  for (const int64_t example : {1, 3}) {
    for (net.limit = 1; net.limit < 150; ++net.limit) {
      const Array x = random::normal(0, 1, {example, 3}, float32);
      const inference::Prepared ready = inference::prepare(net, {Variable(x, false)});
      expect_near(ready(x), answer(net, x));
      for (const int64_t n : {net.limit, net.limit + 1})
        if (n != example) EXPECT_THROW(TypeError, "", ready(random::normal(0, 1, {n, 3}, float32)));
    }
  }
}

TEST(lengths_that_a_network_was_not_prepared_for_are_refused) {
  Pooled net;
  const inference::Prepared ready = inference::prepare(net, {Variable(ones({1, 2, 8, 8}), false)});
  // Windows of 8 over 9 columns would silently drop one.
  EXPECT_THROW(TypeError, "Actual: (1, 2, 8, 9)", ready(ones({1, 2, 8, 9})));
  EXPECT_EQ(ready(ones({3, 2, 8, 8})).shape(), Shape({3, 4}));
  const inference::Prepared one =
      inference::prepare(net, {Variable(ones({1, 2, 8, 8}), false)}, {.dynamic_batch = false});
  EXPECT_THROW(TypeError, "Expect: (1, 2, 8, 8)", one(ones({3, 2, 8, 8})));
}

TEST(an_imported_model_that_replays_sees_new_weights) {
  Net net = trained();
  const Array x = picture(3, 4);
  auto model = onnx::Model::from_bytes(onnx::export_model(net, {Variable(x, false)}));
  const auto ask = [&] {
    const UsingConfig test(&Config::train, false);
    const NoBackpropMode no_graph;
    return model.forward(Variables{Variable(x, false)})[0].array();
  };
  for (int i = 0; i < 4; ++i) expect_near(ask(), answer(net, x));
  for (const Parameter& p : net.params()) {
    Array w = p.array();
    w *= 0.5;
  }
  auto other = onnx::Model::from_bytes(onnx::export_model(net, {Variable(x, false)}));
  model.copyparams(other);
  for (int i = 0; i < 4; ++i) expect_near(ask(), answer(net, x));
  EXPECT_EQ(model.refused_replay(), "");
  // A graph is still built if a gradient is required.
  const Variable v(x);
  F::sum(model.forward(Variables{v})[0]).backward();
  EXPECT(static_cast<bool>(v.grad()));
}

TEST(a_prepared_recurrent_network_starts_anew) {
  random::seed(2);
  Tagger net;
  const Array words = random::randint(0, 20, {9}, int32);
  const inference::Prepared ready = inference::prepare(net, {Variable(words, false)}, {.dynamic_batch = false});
  for (int i = 0; i < 4; ++i) {
    const Array x = random::randint(0, 20, {9}, int32);
    expect_near(ready(x), answer(net, x));
  }
  EXPECT_EQ(ready.refused_replay(), "");
  // A replay checks indices like the first call.
  EXPECT_THROW(IndexError, "20", ready(words * 0 + 20));
  expect_near(ready(words), answer(net, words));
}

TEST(a_weight_that_is_first_met_in_a_program_of_waiting_operations) {
  Scaled link;
  random::seed(5);
  const Array x = random::normal(0, 1, {3, 5000}, float32);
  const inference::Prepared ready = inference::prepare(link, {Variable(x, false)});
  for (int i = 0; i < 4; ++i) expect_near(ready(x), answer(link, x));
  EXPECT_EQ(ready.refused_replay(), "");
}

TEST(networks_are_prepared_and_exported_without_mixed_precision) {
  Net net;
  random::RandomState r(4);
  const Array x = r.randn({2, 1, 10, 10}).astype(float32);
  const inference::Prepared plain = inference::prepare(net, {x});
  const std::string file = onnx::export_model(net, {x});
  const UsingConfig mode(&Config::dtype, mixed_bfloat16);
  EXPECT_CLOSE(plain(x), inference::prepare(net, {x})(x), {.atol = 0, .rtol = 0});
  EXPECT_EQ(plain(x).dtype(), float32);
  EXPECT(onnx::export_model(net, {x}) == file);
}

TEST(networks_are_prepared_in_debug_mode) {
  const DebugMode debug(true);
  L::Linear link(3, 2);
  const Array x = ones({4, 3});
  const inference::Prepared prepared = inference::prepare(link, {x});
  EXPECT_CLOSE(prepared(x), link(x).array(), {.atol = 1e-6});
}
