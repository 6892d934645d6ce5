// SPDX-License-Identifier: MIT
#include "ranks.h"

using namespace chainer;

namespace {

struct First : Chain {
  L::Linear l;
  First() : l(4, 5) {}
  CHAINER_MEMBERS(First, l);
  Variable forward(const Variable& x) { return F::tanh(l(x)); }
};
struct Last : Chain {
  L::Linear l;
  Last() : l(5, 3) {}
  CHAINER_MEMBERS(Last, l);
  Variable forward(const Variable& x) { return l(x); }
};
struct Pass : Chain {
  CHAINER_MEMBERS(Pass);
  Variable forward(const Variable& x) { return x; }
};

}  // namespace

TEST(multi_node_chain_list) {
  const auto& c = world();
  if (c->size() != 2) return EXPECT(c->size() > 2);
  random::seed(3);
  First first;
  Last last;
  const Array x = random::RandomState(1).randn({6, 4}, float32), t = array({0, 1, 2, 0, 1, 2});
  // On one rank, and with the second layer on rank 1.
  First first_alone = first.copy(CopyMode::copy);
  Last last_alone = last.copy(CopyMode::copy);
  first_alone.cleargrads(), last_alone.cleargrads(), first.cleargrads(), last.cleargrads();
  const Variable expected = F::softmax_cross_entropy(last_alone(first_alone(x)), t);
  expected.backward();
  chainermn::MultiNodeChainList model(c);
  if (c->rank() == 0) {
    model.add_link(first, {.rank_out = 1});
    model.add_link(Pass(), {.rank_in = 1});
    const Variable loss = F::softmax_cross_entropy(model.call(Variables{Variable(x, false)})[0], t);
    EXPECT_CLOSE(loss.array(), expected.array());
    loss.backward();
    EXPECT_CLOSE(first.l.W.grad(), first_alone.l.W.grad());
  } else {
    model.add_link(last, {.rank_in = 0, .rank_out = 0});
    model.call(Variables())[0].backward();
    EXPECT_CLOSE(last.l.W.grad(), last_alone.l.W.grad());
  }
  // Sends twice to the same rank, through the own rank, and back.
  chainermn::MultiNodeChainList loop(c);
  if (c->rank() == 0) {
    loop.add_link(first, {.rank_out = {0, 1}});
    loop.add_link(Pass(), {.rank_in = 0, .rank_out = 1});
    loop.add_link(Pass(), {.rank_in = 1});
    const Variable y = loop.call(Variables{Variable(x, false)})[0];
    EXPECT_CLOSE(y.array(), first(x).array() * 2.0);
    first.cleargrads();
    F::sum(y).backward();
    first_alone.cleargrads();
    F::sum(first_alone(x) * 2.0).backward();
    EXPECT_CLOSE(first.l.W.grad(), first_alone.l.W.grad());
  } else {
    struct Add : Link {
      Variables call(const Variables& x) override { return {x[0] + x[1]}; }
    };
    loop.add_link(std::make_shared<Add>(), {.rank_in = {0, 0}, .rank_out = 0});
    loop.call(Variables())[0].backward();
  }
  EXPECT_THROW(ValueError, "only one may be the output", [&] {
    chainermn::MultiNodeChainList two(c);
    two.add_link(Pass());
    two.add_link(Pass());
  }());
  EXPECT_THROW(ValueError, "rank 9 is out of range", chainermn::MultiNodeChainList(c).add_link(Pass(), {.rank_in = 9}));
  chainermn::MultiNodeChainList left(c);
  left.add_link(Pass(), {.rank_out = c->rank()});
  EXPECT_THROW(ValueError, "are not used", left.call(Variables{Variable(x, false)}));
  c->barrier();
}

TEST(multi_node_batch_normalization) {
  for (const auto& c : communicators())
    for (const bool images : {false, true}) {
      const int64_t n = 4 * c->size();
      const Shape shape = images ? Shape{n, 3, 2, 2} : Shape{n, 3};
      // A mean far from zero, for which E[x^2] - E[x]^2 in float32 would be only rounding errors.
      const Array x = random::RandomState(1).randn(shape, float32) + 1000.0,
                  w = random::RandomState(2).randn(shape, float32);
      L::BatchNormalization alone(3);
      chainermn::links::MultiNodeBatchNormalization mine(3, c);
      const Variable xa(x), xm(x[Slice(4 * c->rank(), 4 * c->rank() + 4)].copy());
      const Array wm = w[Slice(4 * c->rank(), 4 * c->rank() + 4)].copy();
      alone.cleargrads(), mine.cleargrads();
      const Variable ya = alone(xa), ym = mine(xm);
      const auto part = [&](const Array& a) { return a[Slice(4 * c->rank(), 4 * c->rank() + 4)]; };
      EXPECT_CLOSE(ym.array(), part(ya.array()), {.atol = 2e-3, .rtol = 2e-3});
      F::sum(ya * w).backward();
      F::sum(ym * wm).backward();
      EXPECT_CLOSE(xm.grad(), part(xa.grad()), {.atol = 5e-3, .rtol = 5e-3});
      EXPECT_CLOSE(c->allreduce(mine.gamma->grad()), alone.gamma->grad(), {.atol = 2e-2, .rtol = 5e-3});
      EXPECT_CLOSE(c->allreduce(mine.beta->grad()), alone.beta->grad(), {.atol = 1e-3, .rtol = 1e-3});
      EXPECT_CLOSE(mine.avg_mean, alone.avg_mean, {.atol = 1e-3, .rtol = 1e-5});
      EXPECT_CLOSE(mine.avg_var, alone.avg_var, {.atol = 1e-3, .rtol = 1e-3});
      const UsingConfig test_mode(&Config::train, false);
      EXPECT_CLOSE(mine(xm).array(), part(alone(xa).array()), {.atol = 1e-2, .rtol = 1e-2});
    }
}

namespace {
template <class R>
void check_rnn(const chainermn::Communicator& c) {
  random::seed(3);
  R encoder(1, 3, 4, 0.0), decoder(1, 3, 4, 0.0);
  Variables xs, ys;
  for (int i = 0; i < 2; ++i) {
    xs.push_back(Variable(random::RandomState(static_cast<uint32_t>(i)).randn({3 - i, 3}, float32), false));
    ys.push_back(Variable(random::RandomState(static_cast<uint32_t>(10 + i)).randn({2, 3}, float32), false));
  }
  constexpr bool cells = chainermn::links::MultiNodeNStepRNN<R>::kHasCells;
  encoder.cleargrads(), decoder.cleargrads();
  Variable expected;
  if constexpr (cells) {
    const auto s = encoder(Variable(), Variable(), xs);
    expected = F::sum(F::concat(decoder(s.hy, s.cy, ys).ys, 0));
  } else {
    expected = F::sum(F::concat(decoder(encoder(Variable(), xs).hy, ys).ys, 0));
  }
  expected.backward();
  std::vector<Array> ge, gd;
  for (auto& p : encoder.params()) ge.push_back(p.grad());
  for (auto& p : decoder.params()) gd.push_back(p.grad());
  encoder.cleargrads(), decoder.cleargrads();
  std::size_t i = 0;
  if (c->rank() == 0) {
    auto rnn = chainermn::links::create_multi_node_n_step_rnn(std::move(encoder), c, {.rank_out = 1});
    const auto out = rnn(xs);
    EXPECT_EQ(out.ys.size(), 2u);
    out.delegate_variable.backward();
    for (auto& p : rnn.params()) EXPECT_CLOSE(p.grad(), ge[i++], {.atol = 1e-5, .rtol = 1e-4});
  } else if (c->rank() == 1) {
    auto rnn = chainermn::links::create_multi_node_n_step_rnn(std::move(decoder), c, {.rank_in = 0});
    const auto out = rnn(ys);
    EXPECT(!out.delegate_variable);
    const Variable loss = F::sum(F::concat(out.ys, 0));
    EXPECT_CLOSE(loss.array(), expected.array());
    loss.backward();
    for (auto& p : rnn.params()) EXPECT_CLOSE(p.grad(), gd[i++], {.atol = 1e-5, .rtol = 1e-4});
  }
  c->barrier();
  EXPECT(true);
}
}  // namespace

TEST(multi_node_n_step_rnn) {
  check_rnn<L::NStepLSTM>(world());
  check_rnn<L::NStepGRU>(world());
  check_rnn<L::NStepRNNTanh>(world());
}
