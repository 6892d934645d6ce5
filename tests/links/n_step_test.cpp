// SPDX-License-Identifier: MIT
// N-step links: consecutive calls agree with release 5.4.0 (conformance/make_recurrent.py); lengths of every kind,
// copies and files.
#include <chainer/chainer.h>

#include "recurrent_release.h"
#include "test.h"

using namespace chainer;

namespace {

Variables sequences(std::initializer_list<int> order) {
  Variables out;
  for (int i : order) out.push_back(Variable(release().array(text("sequence", i)), false));
  return out;
}
Variables flat(const F::NStepLstmResult& r) {
  Variables out = {r.hy, r.cy};
  for (const Variable& y : r.ys) out.push_back(y);
  return out;
}
Variables flat(const F::NStepRnnResult& r) {
  Variables out = {r.hy};
  for (const Variable& y : r.ys) out.push_back(y);
  return out;
}

// A call without states, then a call with the resulting states and the sequences in another order.
template <class Link>
void compare(const std::string& type, int64_t layers) {
  const std::string name = text("NStep", type, "_", layers);
  random::seed(4);
  Link link(layers, 4, 2, 0.0);
  Variables ys;
  const auto call = [&](const Variables& states, const Variables& xs) {
    if constexpr (requires { link.forward(Variable(), Variable(), xs); })
      return flat(states.empty() ? link(Variable(), Variable(), xs) : link(states[0], states[1], xs));
    else
      return flat(states.empty() ? link(Variable(), xs) : link(states[0], xs));
  };
  const Variables first = call({}, sequences({0, 1, 2, 3, 4}));
  const Variables second = call(first, sequences({0, 4, 2, 1, 3}));
  for (const Variables* part : {&first, &second})
    for (const Variable& v : *part) ys.push_back(v);
  expect_release(name, link, ys, 1e-4);
}

}  // namespace

TEST(n_step_links_equal_the_releases) {
  for (int64_t layers : {1, 2}) {
    compare<L::NStepLSTM>("LSTM", layers);
    compare<L::NStepBiLSTM>("BiLSTM", layers);
    compare<L::NStepGRU>("GRU", layers);
    compare<L::NStepBiGRU>("BiGRU", layers);
    compare<L::NStepRNNTanh>("RNNTanh", layers);
    compare<L::NStepBiRNNTanh>("BiRNNTanh", layers);
    compare<L::NStepRNNReLU>("RNNReLU", layers);
    compare<L::NStepBiRNNReLU>("BiRNNReLU", layers);
  }
}

// The results of a sequence do not depend on the other sequences.
TEST(n_step_links_take_any_lengths) {
  random::seed(1);
  L::NStepBiLSTM link(2, 3, 2, 0.0);
  Variables xs;
  for (int64_t length : {0, 4, 1, 0, 2, 4}) xs.push_back(Variable(random::normal(0, 1, {length, 3}).astype(float32)));
  const Variable hx = random::normal(0, 1, {4, 6, 2}).astype(float32),
                 cx = random::normal(0, 1, {4, 6, 2}).astype(float32);
  const auto all = link(hx, cx, xs);
  EXPECT_EQ(all.ys.size(), xs.size());
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const auto column = [&](const Variable& v) { return v[{ellipsis, Slice(at, at + 1), Slice()}]; };
    const auto alone = link(column(hx), column(cx), Variables{xs[i]});
    EXPECT_CLOSE(all.ys[i].array(), alone.ys[0].array(), {.atol = 1e-6});
    EXPECT_CLOSE(column(all.hy).array(), alone.hy.array(), {.atol = 1e-6});
    EXPECT_CLOSE(column(all.cy).array(), alone.cy.array(), {.atol = 1e-6});
    if (len(xs[i]) == 0) EXPECT_CLOSE(column(all.cy).array(), column(cx).array(), {.atol = 0});
  }
  F::sum(all.ys[1]).backward();
  EXPECT(any(xs[1].grad() != 0).item<bool>());
  // No sequences, and sequences without items.
  const auto nothing = link(Variable(), Variable(), Variables());
  EXPECT_EQ(nothing.hy.shape(), Shape({4, 0, 2}));
  EXPECT(nothing.ys.empty());
  const auto empty = link(hx, cx, Variables(std::vector<Variable>(6, Variable(zeros({0, 3})))));
  EXPECT_CLOSE(empty.hy.array(), hx.array(), {.atol = 0});
  EXPECT_EQ(empty.ys[5].shape(), Shape({0, 4}));
}

TEST(n_step_links_take_a_batch_of_one_length) {
  random::seed(2);
  L::NStepBiLSTM lstm(2, 3, 2, 0.0);
  L::NStepGRU gru(1, 3, 4, 0.0);
  const Variable x(random::normal(0, 1, {5, 6, 3}).astype(float32)),
      hx = random::normal(0, 1, {4, 5, 2}).astype(float32), cx = random::normal(0, 1, {4, 5, 2}).astype(float32);
  const auto y = lstm.forward_batch(x, hx, cx);
  const auto expected = lstm(hx, cx, F::separate(x, 0));
  EXPECT_CLOSE(y.y.array(), F::stack(expected.ys).array(), {.atol = 1e-6});
  EXPECT_CLOSE(y.hy.array(), expected.hy.array(), {.atol = 1e-6});
  EXPECT_CLOSE(y.cy.array(), expected.cy.array(), {.atol = 1e-6});
  const auto states = gru.forward_batch(x);
  EXPECT(!states.cy);
  EXPECT_CLOSE(states.y.array(), F::stack(gru(Variable(), F::separate(x, 0)).ys).array(), {.atol = 1e-6});
  F::sum(states.y * states.y).backward();
  EXPECT(any(x.grad() != 0).item<bool>());
  EXPECT_EQ(lstm.forward_batch(Variable(zeros({0, 6, 3}))).y.shape(), Shape({0, 6, 4}));
  EXPECT_EQ(lstm.forward_batch(Variable(zeros({5, 0, 3}))).y.shape(), Shape({5, 0, 4}));
  EXPECT_THROW(ValueError, "x must have shape (sequences, length, 3)", lstm.forward_batch(x[0]));
  EXPECT_THROW(ValueError, "hx must have shape (4, 5, 2)", lstm.forward_batch(x, x));
  EXPECT_THROW(ValueError, "only LSTMs have cells", gru.forward_batch(x, {}, cx));
}

TEST(n_step_functions_say_what_is_wrong) {
  const Variable w(ones({2, 2})), b(ones({2})), wide(ones({2, 3}));
  const auto list = [](std::size_t n, const Variable& v) { return Variables(std::vector<Variable>(n, v)); };
  const auto run = [&](int64_t layers, const Variable& hx, const std::vector<Variables>& ws,
                       const std::vector<Variables>& bs,
                       const Variables& xs) { return F::n_step_gru(layers, 0, hx, ws, bs, xs).hy; };
  const Variables xs = {Variable(ones({2, 2})), Variable(ones({1, 2}))};
  EXPECT_EQ(run(1, {}, {list(6, w)}, {list(6, b)}, xs).shape(), Shape({1, 2, 2}));
  EXPECT_THROW(ValueError, "n_layers must be at least 1, not 0", run(0, {}, {}, {}, xs));
  EXPECT_THROW(ValueError, "2 layers in 1 directions need 2 lists of weights and of biases, got 1 and 2",
               run(2, {}, {list(6, w)}, {list(6, b), list(6, b)}, xs));
  EXPECT_THROW(ValueError, "a layer has 6 matrices and biases; ws[0] has 8, bs[0] 6",
               run(1, {}, {list(8, w)}, {list(6, b)}, xs));
  EXPECT_THROW(ValueError, "items must be rows of length 3, the columns of ws[0][0]",
               run(1, {}, {{wide, wide, wide, w, w, w}}, {list(6, b)}, xs));
  EXPECT_THROW(ValueError, "ws[0][1] must have shape (2, 2)", run(1, {}, {{w, wide, w, w, w, w}}, {list(6, b)}, xs));
  EXPECT_THROW(ValueError, "batches cannot grow; 3 items at time 1 follow 2",
               run(1, {}, {list(6, w)}, {list(6, b)}, {xs[0], Variable(ones({3, 2}))}));
  EXPECT_THROW(ValueError, "hx must have shape (1, 2, 2), not (2, 2, 2)",
               run(1, Variable(ones({2, 2, 2})), {list(6, w)}, {list(6, b)}, xs));
  EXPECT_THROW(ValueError, "the states have 1 sequences, time 0 has 2 items",
               run(1, Variable(ones({1, 1, 2})), {list(6, w)}, {list(6, b)}, xs));
  EXPECT_THROW(ValueError, "xs[1] must have two axes", run(1, {}, {list(6, w)}, {list(6, b)}, {xs[0], b}));
  EXPECT_THROW(TypeError, "items are float64, weights float32",
               run(1, {}, {list(6, w)}, {list(6, b)}, {Variable(ones({2, 2}, float64))}));
  EXPECT_THROW(ValueError, "a sequence must have shape (length, 4); number 1 has (2, 3)",
               (L::NStepGRU(1, 4, 2, 0.0)(Variable(), Variables{Variable(ones({2, 4})), Variable(ones({2, 3}))})));
  EXPECT_THROW(ValueError, "at least 1", L::NStepGRU(0, 4, 2, 0.0));
}

TEST(n_step_links_drop_out_between_layers) {
  random::seed(3);
  L::NStepLSTM one(1, 3, 4, 0.5), two(2, 3, 4, 0.5);
  const Variables xs = {Variable(ones({3, 3}))};
  const auto twice_equal = [&](auto& link) {
    const Array a = link(Variable(), Variable(), xs).ys[0].array(), b = link(Variable(), Variable(), xs).ys[0].array();
    return all(a == b).template item<bool>();
  };
  EXPECT(twice_equal(one));
  EXPECT(!twice_equal(two));
  const UsingConfig test_mode(&Config::train, false);
  EXPECT(twice_equal(two));
}

TEST(n_step_links_are_copied_and_list_their_weights) {
  L::NStepLSTM link(2, 3, 4, 0.5);
  EXPECT_EQ(link.size(), std::size_t(2));
  EXPECT_EQ(link.namedparams()[0].first, std::string("/0/b0"));
  EXPECT_EQ(link.namedparams().size(), std::size_t(32));
  EXPECT_EQ(link.ws()[1][0].shape(), Shape({4, 4}));
  L::NStepLSTM fresh = link.copy(CopyMode::init), same = link.copy(CopyMode::copy);
  EXPECT(any(fresh.ws()[0][3].array() != link.ws()[0][3].array()).item<bool>());
  EXPECT_CLOSE(same.ws()[0][3].array(), link.ws()[0][3].array(), {.atol = 0});
  EXPECT(!same.ws()[0][3].array().is(link.ws()[0][3].array()));
}

// The gradients of the four input matrices come from one product over all times and may share its memory; a hook that
// scales gradients in place must scale each of them once.
TEST(gradients_of_n_step_weights_do_not_overlap) {
  L::NStepLSTM link(1, 3, 2, 0.0);
  F::sum(link(Variable(), Variable(), Variables{Variable(ones({4, 3}))}).ys[0]).backward();
  std::vector<Array> before;
  for (const Parameter& p : link.params()) before.push_back(p.grad().copy());
  for (const Parameter& p : link.params()) {
    Array g = p.grad();
    g *= 0.5;
  }
  std::size_t i = 0;
  for (const Parameter& p : link.params()) EXPECT_CLOSE(p.grad(), before[i++] * 0.5, {.atol = 1e-7});
}
