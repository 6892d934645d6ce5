// SPDX-License-Identifier: MIT
// Recurrent links: consecutive calls compared with release 5.4.0 (conformance/make_recurrent.py), and their states.
#include <chainer/chainer.h>

#include "folder.h"
#include "recurrent_release.h"
#include "test.h"

using namespace chainer;

namespace {

Variable x(int i) { return Variable(release().array(text("x", i)), false); }
Variable state(int i) { return Variable(release().array(text("s", i)), false); }

void append(Variables& to, const Variables& from) {
  for (const Variable& v : from) to.push_back(v);
}

// Compares parameters for a seed, all results, and the gradients of their weighted sum.
template <class Make, class Call>
void compare(const std::string& name, Make make, Call call) {
  random::seed(4);
  auto link = make();
  expect_release(name, link, call(link), 2e-5);
}

Variables each(auto& link) {
  Variables ys;
  for (int i = 0; i < 4; ++i) ys.push_back(link(x(i)));
  return ys;
}
Variables stateless(auto& link) {
  const Variable h = link(state(0), x(0));
  return {h, link(h, x(1))};
}

}  // namespace

TEST(recurrent_links_equal_the_releases) {
  const auto call_each = [](auto& link) { return each(link); };
  const auto call_stateless = [](auto& link) { return stateless(link); };
  compare(
      "LSTM", [] { return L::LSTM(4, 2); },
      [](auto& link) {
        Variables ys = {link(x(0)), link(x(1)), link(x(2)[Slice(0, 2)]), link(x(3)[Slice(0, 1)])};
        ys.push_back(link.c), ys.push_back(link.h);
        return ys;
      });
  compare(
      "LSTM_lazy", [] { return L::LSTM(2); }, call_each);
  compare(
      "LSTM_options",
      [] {
        return L::LSTM(
            4, 2,
            {.lateral_init = initializers::Normal(0.3), .upward_init = 0.2, .bias_init = 0.5, .forget_bias_init = -1});
      },
      call_each);
  compare(
      "StatelessLSTM", [] { return L::StatelessLSTM(4, 2); },
      [](auto& link) {
        Variables ys = link(Variable(), Variable(), x(0));
        append(ys, link(ys[0], ys[1], x(1)));
        return ys;
      });
  compare(
      "GRU", [] { return L::GRU(4, 2); }, call_each);
  compare(
      "StatefulGRU",
      [] { return L::StatefulGRU(4, 2, {.init = initializers::Normal(0.3), .inner_init = 0.2, .bias_init = 0.5}); },
      call_each);
  compare(
      "StatelessGRU", [] { return L::StatelessGRU(4, 2); }, call_stateless);
  compare(
      "StatefulMGU", [] { return L::StatefulMGU(4, 2); }, call_each);
  compare(
      "StatelessMGU", [] { return L::StatelessMGU(4, 2); }, call_stateless);
  compare(
      "StatefulPeepholeLSTM", [] { return L::StatefulPeepholeLSTM(4, 2); }, call_each);
  {
    const UsingConfig test_mode(&Config::train, false);
    compare(
        "StatefulZoneoutLSTM", [] { return L::StatefulZoneoutLSTM(4, 2); }, call_each);
  }
}

TEST(tree_links_equal_the_releases) {
  const Variables c = {state(0), state(1), state(2)}, h = {state(3), state(4), state(5)};
  const Variable none;
  compare(
      "ChildSumTreeLSTM", [] { return L::ChildSumTreeLSTM(4, 2); },
      [&](auto& link) {
        Variables ys = link(x(0));
        append(ys, link(c[0], h[0], x(1)));
        append(ys, link(c[0], c[1], c[2], h[0], h[1], h[2], x(2)));
        append(ys, link(none, c[1], h[0], none, x(3)));
        append(ys, link(c[0], h[0], none));
        return ys;
      });
  compare(
      "NaryTreeLSTM", [] { return L::NaryTreeLSTM(4, 2); },
      [&](auto& link) {
        Variables ys = link(c[0], c[1], h[0], h[1], x(0));
        append(ys, link(none, c[1], h[0], none, x(1)));
        append(ys, link(c[0], c[1], h[0], h[1], none));
        return ys;
      });
  compare(
      "NaryTreeLSTM_3", [] { return L::NaryTreeLSTM(4, 2, 3); },
      [&](auto& link) { return link(c[0], c[1], c[2], h[0], h[1], h[2], x(0)); });
}

TEST(recurrent_links_keep_reset_and_take_states) {
  L::LSTM lstm(4, 2);
  EXPECT(!lstm.c && !lstm.h);
  const Array first = lstm(x(0)).array();
  EXPECT(lstm.h.array().is(first));
  const Variable c = lstm.c, h = lstm.h;
  const Array second = lstm(x(1)).array();
  lstm.set_state(c, h);
  EXPECT_CLOSE(lstm(x(1)).array(), second, {.atol = 0});
  lstm.reset_state();
  EXPECT_CLOSE(lstm(x(0)).array(), first, {.atol = 0});
  EXPECT_THROW(ValueError, "the state is none", lstm.set_state(c, {}));
  // An empty batch, then a batch larger than the one before.
  EXPECT_EQ(lstm(x(0)[Slice(0, 0)]).shape(), Shape({0, 2}));
  EXPECT_EQ(lstm.h.shape(), Shape({3, 2}));
  EXPECT_THROW(TypeError, "the batch grew from 3 to 6", lstm(F::concat({x(0), x(1)}, 0)));
  EXPECT_THROW(InvalidType, "Actual: 3 != 4", lstm(Variable(ones({3, 3}))));
  EXPECT_THROW(DimensionError, "axis of items", lstm(Variable(ones({}))));

  L::GRU gru(4, 2);
  gru.set_state(state(0));
  EXPECT_CLOSE(gru.h.array(), state(0).array(), {.atol = 0});
  (void)gru(x(0));
  gru.reset_state();
  EXPECT(!gru.h);
  L::StatefulMGU mgu(4, 2);
  mgu.set_state(state(0));
  (void)mgu(x(0));
  EXPECT_EQ(mgu.h.shape(), Shape({3, 2}));
  EXPECT_THROW(ValueError, "StatefulMGU.set_state", mgu.set_state({}));
  EXPECT_THROW(ValueError, "x or a state of a child must be given",
               (L::NaryTreeLSTM(4, 2)(Variable(), Variable(), Variable(), Variable(), Variable())));
  EXPECT_THROW(ValueError, "expected 2 cells, as many outputs, then x; got 3 arguments",
               (L::NaryTreeLSTM(4, 2)(state(0), state(1), x(0))));
  EXPECT_THROW(ValueError, "got 2 arguments", (L::ChildSumTreeLSTM(4, 2)(state(0), x(0))));
}

// With probability 1 all old states are kept, with 0 none.
TEST(zoneout_keeps_old_states) {
  L::StatefulZoneoutLSTM all(4, 2, {.c_ratio = 1, .h_ratio = 1}), none(4, 2, {.c_ratio = 0, .h_ratio = 0});
  all.set_state(state(0), state(1));
  (void)all(x(0));
  EXPECT_CLOSE(all.c.array(), state(0).array(), {.atol = 0});
  EXPECT_CLOSE(all.h.array(), state(1).array(), {.atol = 0});
  const Variables next = F::lstm(Variable(zeros({3, 2})), none.upward(x(0)));
  EXPECT_CLOSE(none(x(0)).array(), next[1].array(), {.atol = 0});
  EXPECT_CLOSE(none.c.array(), next[0].array(), {.atol = 0});
}

// A copy with new initial values has other random weights and the same biases; it has its own initializers.
TEST(recurrent_links_are_copied) {
  L::LSTM lstm(4, 2, {.forget_bias_init = 3});
  L::LSTM fresh = lstm.copy(CopyMode::init), same = lstm.copy(CopyMode::copy);
  EXPECT_CLOSE(fresh.upward.b->array(), lstm.upward.b->array(), {.atol = 0});
  EXPECT_CLOSE(same.lateral.W.array(), lstm.lateral.W.array(), {.atol = 0});
  EXPECT(any(fresh.upward.W.array() != lstm.upward.W.array()).item<bool>());
  EXPECT(all(fresh.lateral.W.array() != 0).item<bool>());
  L::NaryTreeLSTM tree(4, 2, 3), tree_copy = tree.copy(CopyMode::init);
  EXPECT_EQ(tree_copy.namedparams().size(), std::size_t(5));
  EXPECT_EQ(tree_copy.namedparams()[0].first, std::string("/W_h1/W"));
  EXPECT(any(tree.W_h[2].W.array() != tree_copy.W_h[2].W.array()).item<bool>());
}

// A model whose LSTM has not been called yet can load its weights.
TEST(recurrent_links_are_saved) {
  L::LSTM lstm(2);
  const Array y = lstm(x(0)).array();
  const std::string file = test::folder / "recurrent.npz";
  serializers::save_npz(file, lstm);
  L::LSTM loaded(2);
  serializers::load_npz(file, loaded);
  EXPECT_CLOSE(loaded(x(0)).array(), y, {.atol = 0});
}
