// SPDX-License-Identifier: MIT
// Events between the replays of a static chain: caught errors, dropped batches, arrays that are freed and allocated.
#include <chainer/chainer.h>

#include "models.h"
#include "test.h"

using namespace chainer;
using namespace static_models;

namespace {

struct Loss : Chain {
  L::Linear l1{12, 16}, l2{16, 4};
  CHAINER_MEMBERS(Loss, l1, l2);
  // The first link flattens a batch of pictures.
  Variable forward(const Variable& x, const Variable& t) { return F::softmax_cross_entropy(l2(F::tanh(l1(x))), t); }
};

}  // namespace

TEST(a_batch_that_failed_is_not_the_next_one) {
  Loss net;
  auto chain = static_graph(net);
  const Array pictures = floats({160, 3, 4}), good = array<int32_t>({0, 1, 2, 3}), bad = array<int32_t>({0, 1, 2, 4});
  for (int64_t i = 0; i < 40; ++i) {
    const auto batch = [&] { return Variable(pictures[Slice(4 * i, 4 * i + 4)], false); };
    if (i % 4 == 3) {
      EXPECT_THROW(IndexError, "is not in 0 ... 3", (void)chain(batch(), Variable(bad, false)));
      continue;
    }
    const Variable loss = chain(batch(), Variable(good, false));
    loss.backward();
    EXPECT(same(loss.array(), net(batch(), Variable(good, false)).array()));
  }
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 39);
}

TEST(ids_that_were_refused_are_not_the_next_ones) {
  L::EmbedID embed(7, 4);
  const auto code = [&](const Variable& ids) { return F::sum(F::square(embed(F::flatten(ids)))); };
  auto chain = static_graph(code, embed);
  const Array words = random::randint(0, 7, {40, 3}).astype(int32), bad = full({40, 3}, 99).astype(int32);
  for (int64_t i = 0; i < 20; ++i) {
    const auto batch = [&](const Array& of) { return Variable(of[Slice(2 * i, 2 * i + 2)], false); };
    if (i % 3 == 2) {
      EXPECT_THROW(IndexError, "id 99 at position 0", (void)chain(batch(bad)));
      continue;
    }
    const Variable loss = chain(batch(words));
    EXPECT(same(loss.array(), code(batch(words)).array()));
    loss.backward();
  }
}

TEST(sums_of_results_that_wait_are_no_part_of_the_recording) {
  L::Linear link(256, 256);
  const auto code = [&](const Variable& x) { return F::tanh(link(x) + x); };
  auto chain = static_graph(code, link);
  for (int i = 0; i < 4; ++i) {
    const Variable x(floats({16, 256})), twin(x.array());
    link.cleargrads();
    const Variable expected = F::sum(code(twin));
    expected.backward();
    const Array W = link.W.grad();
    link.cleargrads();
    const Variable loss = F::sum(chain(x));
    loss.backward();
    EXPECT(same(loss.array(), expected.array()));
    EXPECT(same(x.grad(), twin.grad()));
    EXPECT(same(link.W.grad(), W));
  }
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 3);
}

TEST(penalties_that_wait_when_a_chain_is_recorded) {
  L::Linear link(96, 96);
  auto optimizer = optimizers::SGD({.lr = 0.01}).setup(link);
  const auto code = [&](const Variable& x) { return F::tanh(link(x)); };
  auto chain = static_graph(code, link);
  for (int i = 0; i < 5; ++i) {
    const Variable x(floats({64, 96})), penalty = F::sum(F::square(link.W)), twin = F::sum(F::square(link.W));
    link.cleargrads();
    (F::sum(code(x)) + twin).backward();
    const Array W = link.W.grad();
    link.cleargrads();
    const Variable loss = F::sum(chain(x)) + penalty;
    loss.backward();
    EXPECT(same(penalty.array(), twin.array()));
    EXPECT(same(link.W.grad(), W));
    optimizer.update();
  }
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 4);
}

TEST(a_parameter_whose_array_comes_and_goes) {
  L::Parameter weight(floats({6, 5}));
  const auto link = [&](const Variable& x) { return F::matmul(x, weight.W); };  // the gradient reads a view of W
  auto chain = static_graph(link, weight);
  const Array bank = floats({60, 6, 5});
  const auto gradient = [&](const auto& f) {
    const Variable x(ones({3, 6}));
    F::sum(F::square(f(x))).backward();
    return x.grad();
  };
  for (int64_t i = 0; i < 60; ++i) {
    weight.W.set_array(bank[i]);
    if (i > 1 && i % 3 != 0) {  // no gradient is computed
      (void)chain(Variable(ones({3, 6})));
      continue;
    }
    EXPECT(same(gradient(chain), gradient(link)));
  }
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT_EQ(chain.schedule_manager().counts().recorded, 1);
}

namespace {
struct FailsOnce : FunctionNode {
  explicit FailsOnce(int* calls) : calls(calls) {}
  Arrays forward(const Arrays& x) override { return {x[0] * 2}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    if (++*calls == 1) throw ValueError("not yet");
    return {gy[0] * 2};
  }
  int* calls;
};
}  // namespace

TEST(an_exception_while_the_backward_pass_is_recorded) {
  Mlp net;
  int calls = 0;
  auto chain =
      static_graph([&](const Variable& x) { return F::sum(apply(FailsOnce(&calls), {F::tanh(net(x))})[0]); }, net);
  for (int i = 0; i < 5; ++i) {
    const Array x = floats({3, 12});
    net.cleargrads();
    F::sum(F::tanh(net(x)) * 2).backward();
    const Array expected = net.l1.W.grad();
    net.cleargrads();
    const Variable loss = chain(Variable(x, false));
    if (i == 0) EXPECT_THROW(ValueError, "not yet", loss.backward());
    if (i == 0) net.cleargrads();
    loss.backward();
    EXPECT(same(net.l1.W.grad(), expected));
  }
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 3);
}

TEST(a_borrowed_link_that_moves_is_followed) {
  std::vector<Mlp> nets(1);
  auto chain = static_graph(nets[0]);
  const auto step = [&] {
    const Variable x(floats({3, 12}), false);
    nets[0].cleargrads();
    F::sum(F::tanh(nets[0](x))).backward();
    const Array expected = nets[0].l1.W.grad();
    nets[0].cleargrads();
    F::sum(F::tanh(chain(x))).backward();
    EXPECT(same(nets[0].l1.W.grad(), expected));
  };
  for (int i = 0; i < 3; ++i) step();
  nets.reserve(nets.capacity() + 1);
  for (int i = 0; i < 3; ++i) step();
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT(chain.schedule_manager().counts().replayed >= 4);
}
