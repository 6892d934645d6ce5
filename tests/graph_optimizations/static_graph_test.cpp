// SPDX-License-Identifier: MIT
// static_graph(): replays equal define-by-run, bit for bit, in whatever way the chain is called.
#include <chainer/chainer.h>

#include <thread>

#include "models.h"
#include "test.h"

using namespace chainer;
using namespace static_models;

namespace {

// A model, and its copy as a static chain, which are trained in the same way.
template <class Model>
struct Twins {
  explicit Twins(Model m, const StaticGraphOptions& o = {})
      : plain(std::move(m)), twin(plain.copy(CopyMode::copy)), chain(static_graph(twin, o)) {}
  Model plain, twin;
  StaticChain<Model> chain;
  ScheduleManager& manager() { return chain.schedule_manager(); }
  bool alike() {
    const auto a = plain.namedparams(), b = twin.namedparams();
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Array g = a[i].second.grad(), h = b[i].second.grad();
      if (!same(a[i].second.array(), b[i].second.array()) || !same(g, h)) return false;
    }
    return true;
  }
  // An update of both by their losses.
  void step(GradientMethod& a, GradientMethod& b, Variable u, Variable v) {
    EXPECT(same(u.array(), v.array()));
    plain.cleargrads(), chain.cleargrads();
    u.backward(), v.backward();
    a.update(), b.update();
    EXPECT(alike());
  }
};

Array labels(int64_t n, int64_t classes = 5) { return random::randint(0, classes, {n}).astype(int32); }

}  // namespace

TEST(a_link_is_recorded_once_and_replayed) {
  Twins<Mlp> t{Mlp()};
  auto a = optimizers::Adam().setup(t.plain), b = optimizers::Adam().setup(t.chain);
  for (int i = 0; i < 6; ++i) {
    const Array x = floats({7, 12}), y = labels(7);
    t.step(a, b, F::softmax_cross_entropy(t.plain(x), y), F::softmax_cross_entropy(t.chain(x), y));
  }
  EXPECT_EQ(t.manager().refused(), "");
  EXPECT_EQ(t.twin.runs, 1);
  EXPECT_EQ(t.manager().counts().replayed, 5);
}

TEST(the_graph_around_sees_one_function) {
  Twins<Mlp> t{Mlp()};
  const Variable x(floats({3, 12}));
  for (int i = 0; i < 3; ++i) {
    const Variable y = t.chain(x);
    EXPECT_EQ(y.creator()->label(), "StaticScheduleFunction");
    EXPECT_EQ(y.creator()->inputs().size(), std::size_t(5));
    EXPECT(y.creator()->inputs()[0] == x.node());
    F::sum(y).backward();
  }
}

TEST(the_caller_s_graph_goes_on_before_and_behind) {
  Twins<Mlp> t{Mlp()};
  for (int i = 0; i < 3; ++i) {
    const Variable x(floats({3, 12})), z(x.array().copy());
    F::sum(F::tanh(t.plain(F::sin(x)) * 2)).backward();
    F::sum(F::tanh(t.chain(F::sin(z)) * 2)).backward();
    EXPECT(same(x.grad(), z.grad()));
    EXPECT(t.alike());
    t.plain.cleargrads(), t.chain.cleargrads();
  }
  EXPECT_EQ(t.manager().counts().replayed, 2);
}

TEST(dropout_and_batch_normalization_train_as_by_themselves) {
  for (const bool deferred_size : {false, true}) {
    Twins<Noisy> t{Noisy()};
    auto a = optimizers::MomentumSGD({.lr = 0.1}).setup(t.plain),
         b = optimizers::MomentumSGD({.lr = 0.1}).setup(t.chain);
    const int64_t n = deferred_size ? 400 : 8;
    for (int i = 0; i < 8; ++i) {
      const Array x = floats({n, 12}), y = labels(n);
      const auto step = [&](auto& model, auto& optimizer) {
        random::seed(static_cast<uint32_t>(i));
        const Variable loss = F::softmax_cross_entropy(model(x), y);
        model.cleargrads();
        loss.backward();
        optimizer.update();
        return loss.array();
      };
      EXPECT(same(step(t.plain, a), step(t.chain, b)));
      EXPECT(t.alike());
      EXPECT(same(t.plain.bn.avg_mean, t.twin.bn.avg_mean));
      EXPECT(same(t.plain.bn.avg_var, t.twin.bn.avg_var));
      if (i % 3 == 2) {  // a call in test mode in between
        const UsingConfig test_mode(&Config::train, false);
        const NoBackpropMode no_graph;
        EXPECT(same(t.plain(x).array(), t.chain(x).array()));
        EXPECT(same(t.plain(x).array(), t.chain(x).array()));
      }
    }
    EXPECT_EQ(t.manager().refused(), "");
    EXPECT(t.manager().counts().replayed > 4);
  }
}

TEST(gradients_accumulate_and_a_scaled_loss_scales_them) {
  Twins<Mlp> t{Mlp()};
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({3, 12}), y = labels(3);
    if (i % 2 == 0) t.plain.cleargrads(), t.chain.cleargrads();
    F::softmax_cross_entropy(t.plain(x), y).backward({.loss_scale = 8.0});
    F::softmax_cross_entropy(t.chain(x), y).backward({.loss_scale = 8.0});
    EXPECT(t.alike());
    EXPECT_EQ(t.plain.l1.W.loss_scale(), t.twin.l1.W.loss_scale());
  }
  EXPECT_EQ(t.manager().counts().replayed, 3);
}

TEST(parameters_are_read_anew) {
  Twins<Mlp> t{Mlp()};
  const Array x = floats({3, 12});
  for (int i = 0; i < 6; ++i) {
    F::sum(t.plain(x)).backward();
    F::sum(t.chain(x)).backward();
    EXPECT(t.alike());
    t.plain.cleargrads(), t.chain.cleargrads();
    if (i == 1) {  // replaced
      const Array W = floats({16, 12});
      t.plain.l1.W.set_array(W.copy()), t.twin.l1.W.set_array(W.copy());
    } else if (i == 3) {  // in place
      for (Mlp* m : {&t.plain, &t.twin}) {
        Array W = m->l2.W.array();
        W *= 3;
      }
    }
    EXPECT(same(t.plain(x).array(), t.chain(x).array()));
  }
  EXPECT_EQ(t.manager().refused(), "");
}

TEST(many_calls_of_large_weights_run_as_by_themselves) {
  for (const int64_t units : {16, 64}) {
    L::Linear link(units, units);
    const auto code = [&](const Variable& h) { return F::tanh(link(h)); };
    auto chain = static_graph(code, link);
    const auto gradient = [&](const auto& f) {
      Variable h(ones({3, units}));
      for (int step = 0; step < 12; ++step) h = f(h);
      link.cleargrads();
      F::sum(h).backward();
      return link.W.grad();
    };
    for (int i = 0; i < 50; ++i) EXPECT_CLOSE(gradient(chain), gradient(code), {.atol = 1e-5, .rtol = 1e-5});
    const auto before = chain.schedule_manager().counts();
    (void)gradient(chain);
    const auto after = chain.schedule_manager().counts();
    EXPECT_EQ(after.replayed - before.replayed, units == 16 ? 12 : 0);
    EXPECT_EQ(after.define_by_run - before.define_by_run, units == 16 ? 0 : 12);
    const NoBackpropMode no_graph;  // nothing is joined here
    for (int i = 0; i < 3; ++i) (void)chain(Variable(ones({3, units})));
    EXPECT_EQ(chain.schedule_manager().counts().replayed - after.replayed, 2);
  }
}

TEST(several_calls_an_iteration_have_schedules_of_their_own) {
  Twins<Mlp> t{Mlp()};
  for (int i = 0; i < 5; ++i) {
    const Array x = floats({3, 12}), z = floats({3, 12}), w = floats({5, 12});
    const auto loss = [&](auto& m) { return F::sum(m(x) * m(z)) + F::sum(F::square(m(w))); };
    const Variable u = loss(t.plain), v = loss(t.chain);
    EXPECT(same(u.array(), v.array()));
    t.plain.cleargrads(), t.chain.cleargrads();
    u.backward(), v.backward();
    const auto a = t.plain.namedparams(), b = t.twin.namedparams();
    for (std::size_t k = 0; k < a.size(); ++k)  // sums of three calls' gradients, added in another order
      testing::assert_allclose(a[k].second.grad(), b[k].second.grad(), {.atol = 1e-4, .rtol = 1e-5});
  }
  EXPECT_EQ(t.manager().size(), std::size_t(3));
  EXPECT_EQ(t.manager().counts().recorded, 3);
  EXPECT_EQ(t.manager().counts().replayed, 12);
}

TEST(end_forward_frees_schedules_and_so_does_the_end_of_results) {
  Twins<Mlp> t{Mlp()};
  const Array x = floats({3, 12});
  F::sum(t.chain(x)).backward();
  for (int i = 0; i < 4; ++i) (void)t.chain(x);  // the results are dropped
  EXPECT_EQ(t.manager().size(), std::size_t(1));
  EXPECT_EQ(t.manager().counts().replayed, 4);
  const Variable kept = t.chain(x);
  t.manager().end_forward();
  F::sum(kept).backward();  // no other call has used the schedule
  t.manager().end_forward();
  const Variable again = t.chain(x);
  EXPECT_EQ(t.manager().size(), std::size_t(1));
  F::sum(again).backward();
  EXPECT_THROW(RuntimeError, "a later call has used", F::sum(kept).backward());
}

TEST(end_forward_behind_the_recording_call) {
  Twins<Mlp> t{Mlp()};
  const Array x = floats({3, 12});
  const Variable first = t.chain(x);
  t.manager().end_forward();
  for (int i = 0; i < 3; ++i) {
    F::sum(t.plain(x)).backward();
    F::sum(t.chain(x)).backward();
    EXPECT(t.alike());
    t.manager().end_forward();
  }
  F::sum(first).backward();  // this call has a separate graph
  F::sum(t.plain(x)).backward();
  EXPECT(t.alike());
  EXPECT_EQ(t.manager().counts().recorded, 2);
}

TEST(another_shape_dtype_or_mode_is_another_schedule) {
  Twins<Mlp> t{Mlp()};
  for (int i = 0; i < 3; ++i)
    for (const int64_t n : {3, 8, 3, 0}) {
      const Array x = floats({n, 12});
      const Variable u = t.plain(x), v = t.chain(x);
      EXPECT(same(u.array(), v.array()));
      F::sum(u).backward(), F::sum(v).backward();
    }
  EXPECT(t.alike());
  EXPECT_EQ(t.manager().size(), std::size_t(3));
  {
    const UsingConfig test_mode(&Config::train, false);
    (void)t.chain(floats({3, 12}));
    EXPECT_EQ(t.manager().size(), std::size_t(4));  // the others are small enough to stay
  }
  auto twice = static_graph([](const Variable& x) { return F::exp(x) * 2; }, {.minimize_cache_size = false});
  for (const Dtype d : {float32, float64, float32}) {
    const Array x = floats({4}).astype(d);
    EXPECT(same(twice(x).array(), (F::exp(x) * 2).array()));
  }
  EXPECT_EQ(twice.schedule_manager().size(), std::size_t(2));
  {
    const UsingConfig test_mode(&Config::train, false);
    (void)twice(floats({4}));
    EXPECT_EQ(twice.schedule_manager().size(), std::size_t(3));
  }
}

TEST(a_layout_is_part_of_what_is_recorded) {
  auto f = static_graph([](const Variable& x) { return F::sum(F::tanh(x), 0); });
  for (int i = 0; i < 3; ++i) {
    const Array a = floats({40, 60}), x = i % 2 ? a : floats({60, 40}).T();
    const Variable u(x), v(x);
    const Variable y = F::sum(F::tanh(u), 0), z = f(v);
    EXPECT(same(y.array(), z.array()));
    // A gradient in any memory layout.
    const Array g = i == 2 ? broadcast_to(floats({1}), {60}) : floats({120})[Slice(0, 120, i + 1)];
    const Array gy = g[Slice(0, 60)];
    Variable(y).set_grad(gy), Variable(z).set_grad(gy);
    y.backward(), z.backward();
    EXPECT(same(u.grad(), v.grad()));
  }
}

TEST(lists_and_tuples_of_variables) {
  auto f = static_graph([](const std::tuple<Variable, Variables>& x, const std::vector<Variable>& y) {
    Variable sum = std::get<0>(x);
    for (const Variable& v : std::get<1>(x)) sum = sum + v;
    for (const Variable& v : y) sum = sum * v;
    return std::pair(sum, std::vector<Variable>{F::exp(sum), F::sin(sum)});
  });
  for (int i = 0; i < 3; ++i) {
    const Variable a(floats({3})), b(floats({3})), c(floats({3})), d(floats({3}));
    const auto [sum, more] = f(std::tuple(a, Variables{b, c}), std::vector<Variable>{d});
    EXPECT(same(sum.array(), (a.array() + b.array() + c.array()) * d.array()));
    EXPECT_EQ(more.size(), std::size_t(2));
    EXPECT(same(more[1].array(), sin(sum.array())));
  }
  EXPECT_EQ(f.schedule_manager().counts().replayed, 0);  // never differentiated, so recorded again each time
  const Variable a(floats({3}));
  for (int i = 0; i < 3; ++i) {
    const auto [sum, more] = f(std::tuple(a, Variables{a, a}), std::vector<Variable>{a});
    F::sum(sum + more[0]).backward();
  }
  EXPECT_EQ(f.schedule_manager().counts().replayed, 2);
  // A longer list makes another signature.
  const auto [sum, more] = f(std::tuple(a, Variables{a}), std::vector<Variable>{a, a});
  EXPECT(same(sum.array(), (a.array() + a.array()) * a.array() * a.array()));
}

TEST(one_array_as_two_arguments) {
  auto f = static_graph([](const Variable& x, const Variable& y) { return x * F::exp(y); });
  const Array a = floats({4}), b = floats({4});
  for (const auto& [x, y] : {std::pair(a, a), std::pair(a, b), std::pair(b, a)}) {
    const Variable u(x), v(y), w(x), z(y);
    F::sum(u * F::exp(v)).backward(), F::sum(f(w, z)).backward();
    EXPECT(same(u.grad(), w.grad()));
    EXPECT(same(v.grad(), z.grad()));
  }
  EXPECT_EQ(f.schedule_manager().counts().replayed, 2);
}

TEST(arguments_that_are_views_of_one_array) {
  for (const int64_t n : {4, 100}) {
    const auto code = [](const Variable& x, const Variable& y) {
      return F::tanh(x * y) + F::sum(y[{Slice(1, 3)}]) - x;
    };
    auto f = static_graph(code);
    for (int i = 0; i < 4; ++i) {
      const Array both = floats({n, 60}), every_other = both[{Slice(), Slice(1, {}, 2)}];
      // Halves of rows, and alternating columns.
      for (const auto& [x, y] : {std::pair(both[{Slice(), Slice(0, 30)}], both[{Slice(), Slice(30, 60)}]),
                                 std::pair(both[{Slice(), Slice({}, {}, 2)}], every_other)}) {
        const Variable u(x), v(y), w(x), z(y);
        const Variable expected = code(u, v), got = f(w, z);
        EXPECT_CLOSE(got.array(), expected.array());
        F::sum(F::square(expected)).backward(), F::sum(F::square(got)).backward();
        EXPECT_CLOSE(w.grad(), u.grad());
        EXPECT_CLOSE(z.grad(), v.grad());
      }
    }
    EXPECT_EQ(f.schedule_manager().counts().replayed, 6);
  }
}

TEST(what_shares_memory_with_an_argument_is_no_argument) {
  const Array rows = floats({8, 3}), last = rows[{Slice(6, 8)}];
  auto f = static_graph([&](const Variable& x) { return x - Variable(last, false); });
  const NoBackpropMode no_graph;
  for (int64_t i = 0; i < 4; ++i) {
    const Array x = rows[{Slice(i, i + 2)}];
    EXPECT(same(f(x).array(), x - last));
  }
  EXPECT(f.schedule_manager().refused().find("created before the call") != std::string::npos);
}

TEST(results_stay_what_they_were) {
  Twins<Mlp> t{Mlp()};
  std::vector<std::pair<Array, Array>> kept;
  const NoBackpropMode no_graph;
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({3, 12});
    const Array y = t.chain(x).array();
    kept.emplace_back(y, y.copy());
  }
  for (const auto& [y, copy] : kept) EXPECT(same(y, copy));
  EXPECT_EQ(t.manager().counts().replayed, 3);
}

TEST(gradients_that_somebody_keeps_stay_what_they_were) {
  Twins<Mlp> t{Mlp()};
  std::vector<std::pair<Array, Array>> kept;
  for (int i = 0; i < 4; ++i) {
    t.chain.cleargrads();
    F::sum(t.chain(floats({3, 12}))).backward();
    const Array g = t.twin.l1.W.grad();
    kept.emplace_back(g, g.copy());
  }
  for (const auto& [g, copy] : kept) EXPECT(same(g, copy));
}

TEST(a_recurrent_link_unrolled_inside) {
  Twins<Unrolled> t{Unrolled()};
  auto a = optimizers::SGD({.lr = 0.1}).setup(t.plain), b = optimizers::SGD({.lr = 0.1}).setup(t.chain);
  for (int i = 0; i < 4; ++i) {
    const Array words = random::randint(0, 9, {6, 4}).astype(int32);
    t.step(a, b, t.plain(words), t.chain(words));
  }
  EXPECT_EQ(t.manager().refused(), "");
  EXPECT_EQ(t.manager().counts().replayed, 3);
}

TEST(a_gradient_penalty_inside) {
  Twins<Mlp> t{Mlp()};
  const auto penalty = [](Mlp& m) {
    return [&m](const Variable& x) {
      const Variable z(x.array());
      const Variable g = grad({F::sum(F::square(m(z)))}, {z}, {.enable_double_backprop = true})[0];
      return F::mean(F::square(F::sum(F::square(g), 1) - 1));
    };
  };
  const auto plain = penalty(t.plain);
  auto chain = static_graph(penalty(t.twin), t.twin);
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({5, 12});
    const Variable u = plain(x), v = chain(x);
    EXPECT(same(u.array(), v.array()));
    t.plain.cleargrads(), t.twin.cleargrads();
    u.backward(), v.backward();
    EXPECT(t.alike());
  }
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 3);
}

TEST(double_backpropagation_when_asked) {
  Twins<Mlp> t{Mlp(), {.enable_double_backprop = true}};
  for (int i = 0; i < 3; ++i) {
    const Variable x(floats({5, 12})), z(x.array());
    const auto penalty = [](auto& m, const Variable& v) {
      const Variable g = grad({F::sum(F::square(m(v)))}, {v}, {.enable_double_backprop = true})[0];
      return F::sum(F::square(g));
    };
    const Variable u = penalty(t.plain, x), v = penalty(t.chain, z);
    EXPECT(same(u.array(), v.array()));
    t.plain.cleargrads(), t.chain.cleargrads();
    u.backward(), v.backward();
    EXPECT(t.alike());
    EXPECT(same(x.grad(), z.grad()));
  }
  Twins<Mlp> without{Mlp()};
  for (int i = 0; i < 2; ++i) {
    const Variable x(floats({5, 12}));
    EXPECT_THROW(RuntimeError, "enable_double_backprop",
                 (void)grad({F::sum(without.chain(x))}, {x}, {.enable_double_backprop = true}));
  }
}

TEST(threads_have_schedules_of_their_own) {
  Twins<Mlp> t{Mlp()};
  const Array x = floats({3, 12});
  Array expected;
  {
    const NoBackpropMode no_graph;
    expected = t.plain(x).array();
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      const NoBackpropMode no_graph;
      const UsingConfig test_mode(&Config::train, false);
      for (int i = 0; i < 50; ++i)
        if (!same(t.chain(x).array(), expected)) ++wrong;
    });
  for (std::thread& th : threads) th.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(t.manager().refused(), "");
}

TEST(an_exception_in_a_replay_leaves_everything_usable) {
  Twins<Mlp> t{Mlp()};
  auto loss = static_graph([&](const Variable& x, const Variable& y) { return F::softmax_cross_entropy(t.twin(x), y); },
                           t.twin);
  for (int i = 0; i < 6; ++i) {
    const Array x = floats({7, 12});
    Array y = labels(7);
    if (i == 0 || i == 3) {  // while recording, and in a replay
      y = y + 100;
      EXPECT_THROW(IndexError, "is not in 0 ... 4", (void)loss(x, y));
      continue;
    }
    t.plain.cleargrads(), t.twin.cleargrads();
    F::softmax_cross_entropy(t.plain(x), y).backward();
    loss(x, y).backward();
    EXPECT(t.alike());
  }
  EXPECT_EQ(loss.schedule_manager().counts().replayed, 4);
}

TEST(a_write_between_forward_and_backward_is_an_error) {
  Twins<Mlp> t{Mlp()};
  for (int i = 0; i < 3; ++i) {
    Array x = floats({3, 12});
    const Variable y = F::sum(t.chain(x));
    if (i == 2) x += 1;
    if (i < 2)
      y.backward();
    else
      EXPECT_THROW(RuntimeError, "was written to in place after the forward pass", y.backward());
  }
}

TEST(backward_twice_through_one_graph) {
  Twins<Mlp> t{Mlp()};
  for (int i = 0; i < 3; ++i) {
    const Variable x(floats({3, 12})), z(x.array());
    const Variable u = F::sum(F::square(t.plain(x))), v = F::sum(F::square(t.chain(z)));
    for (int k = 0; k < 2; ++k) {
      t.plain.cleargrads(), t.chain.cleargrads();
      Variable(x).cleargrad(), Variable(z).cleargrad();
      u.backward(), v.backward();
      EXPECT(t.alike());
      EXPECT(same(x.grad(), z.grad()));
    }
  }
  EXPECT_EQ(t.manager().counts().replayed, 2);
}
