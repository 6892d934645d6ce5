// SPDX-License-Identifier: MIT
// The gradients of a static chain reach all leaves that define-by-run reaches, in any order of an iteration.
#include <chainer/chainer.h>

#include "models.h"
#include "test.h"

using namespace chainer;
using namespace static_models;

namespace {

// Partly recomputed in the backward pass, with parameters that are not inputs of any function outside.
struct Forgetful : Chain {
  L::Linear l1{12, 16}, l2{16, 16}, out{16, 5};
  CHAINER_MEMBERS(Forgetful, l1, l2, out);
  Variable forward(const Variable& x) {
    return out(F::forget([&](const Variable& h) { return F::tanh(l2(h)); }, F::relu(l1(x))));
  }
};

// Trains both models and compares their gradients; an iteration is cleargrads(), loss, backward(), update().
template <class Model, class Chain>
void expect_same_training(Model& plain, Model& twin, Chain& chain, int64_t replayed) {
  auto a = optimizers::Adam().setup(plain), b = optimizers::Adam().setup(twin);
  for (int i = 0; i < 5; ++i) {
    const Variable x(floats({6, 12})), z(x.array());
    const double scale = 1 << i;
    plain.cleargrads(), twin.cleargrads();
    F::sum(F::square(plain(x))).backward({.loss_scale = scale});
    F::sum(F::square(chain(z))).backward({.loss_scale = scale});
    EXPECT(same(x.grad(), z.grad()));
    const auto p = plain.namedparams(), q = twin.namedparams();
    for (std::size_t k = 0; k < p.size(); ++k) {
      EXPECT(same(p[k].second.grad(), q[k].second.grad()));
      EXPECT_EQ(p[k].second.loss_scale(), q[k].second.loss_scale());
    }
    a.update(), b.update();
  }
  EXPECT_EQ(chain.schedule_manager().counts().replayed, replayed);
}

// Differentiates inside its backward pass without declaring it.
struct Quiet : FunctionNode {
  explicit Quiet(L::Linear* l) : link(l) {}
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    const NoBackpropMode no_graph;
    return {(*link)(x[0]).array()};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x(retained_inputs()[0].array());
    Variable y;
    {
      const ForceBackpropMode graph;
      y = (*link)(x);
    }
    y.set_grad_var(gy[0]);
    y.backward({.loss_scale = 1.0});
    return {x.grad_var()};
  }
  L::Linear* link;
};

struct Hidden : Chain {
  L::Linear l1{12, 16}, l2{16, 5};
  CHAINER_MEMBERS(Hidden, l1, l2);
  Variable forward(const Variable& x) { return apply(Quiet(&l2), {F::tanh(l1(x))})[0]; }
};

}  // namespace

TEST(what_forget_reads_is_trained_by_replays) {
  Forgetful plain, twin = plain.copy(CopyMode::copy);
  auto chain = static_graph(twin);
  expect_same_training(plain, twin, chain, 4);
  EXPECT_EQ(chain.schedule_manager().refused(), "");
}

TEST(a_parameter_that_forget_does_not_reach_has_no_gradient) {
  Forgetful model;
  L::Linear other(2, 2);
  Chain both;
  both.add_link("model", model), both.add_link("other", other);
  auto chain = static_graph([&](const Variable& x) { return model(x); }, both);
  for (int i = 0; i < 3; ++i) {
    both.cleargrads();
    F::sum(chain(floats({3, 12}))).backward();
    EXPECT(model.l2.W.grad());
    EXPECT(!other.W.grad());
  }
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 2);
}

TEST(a_function_that_adds_to_other_leaves_and_does_not_say_so_is_noticed) {
  Hidden plain, twin = plain.copy(CopyMode::copy);
  auto chain = static_graph(twin);
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({6, 12});
    plain.cleargrads(), twin.cleargrads();
    F::sum(F::square(plain(x))).backward();
    F::sum(F::square(chain(x))).backward();
    EXPECT(same(plain.l1.W.grad(), twin.l1.W.grad()));
    EXPECT(same(plain.l2.W.grad(), twin.l2.W.grad()));
  }
  EXPECT(chain.schedule_manager().refused().find("adds_to_other_leaves") != std::string::npos);
}

TEST(gradients_that_a_call_makes_or_clears_are_seen) {
  Mlp plain, twin = plain.copy(CopyMode::copy);
  const auto differentiates = [](Mlp& m) {
    return [&m](const Variable& x) {
      const Variable loss = F::sum(F::square(m(x)));
      loss.backward();
      return Variable(loss.array(), false);
    };
  };
  const auto a = differentiates(plain);
  auto b = static_graph(differentiates(twin), twin);
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({3, 12});
    plain.cleargrads(), twin.cleargrads();  // frees everything of the last call
    (void)a(x), (void)b(x);
    EXPECT(same(plain.l1.W.grad(), twin.l1.W.grad()));
  }
  EXPECT_EQ(b.schedule_manager().refused(), "the call changes gradients of parameters");
  auto clears = static_graph(
      [&](const Variable& x) {
        twin.cleargrads();
        return F::sum(F::square(twin(x)));
      },
      twin);
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({3, 12});
    plain.cleargrads();
    F::sum(F::square(plain(x))).backward();
    clears(Variable(x, false)).backward();
    EXPECT(same(plain.l1.W.grad(), twin.l1.W.grad()));
  }
  EXPECT(clears.schedule_manager().refused().find("clears gradients") != std::string::npos);
}
