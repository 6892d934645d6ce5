// SPDX-License-Identifier: MIT
// Code inside a static chain that is not a function of arrays: static_code(), reports, and code that cannot be
// replayed.
#include <chainer/chainer.h>

#include <chainer/array/deferred/deferred.h>

#include <cmath>

#include "models.h"
#include "test.h"

using namespace chainer;
using namespace static_models;

namespace {

void expect_near(double a, double b) { EXPECT(std::abs(a - b) <= 1e-4 * (1 + std::abs(b))); }

// The reason why three calls, each with a backward pass, were not replayed.
template <class Function>
std::string reason(Function f) {
  auto chain = static_graph(f);
  for (int i = 0; i < 3; ++i) F::sum(chain(Variable(floats({3, 4})))).backward();
  return chain.schedule_manager().refused();
}

}  // namespace

TEST(static_code_runs_in_each_replay) {
  int runs = 0;
  std::vector<float> seen;
  const auto note = static_code([&](const Arrays& in) {
    ++runs;
    seen.push_back(in[0].item<float>());
  });
  const auto triple = static_code([](const Arrays& in, Arrays& out) { out[0].fill(in[0].item<float>() * 3); });
  const auto shifted = static_code([](const Arrays& in) { return in[0] + 1; });
  auto chain = static_graph([&](const Variable& x) {
    const Variable y = F::sum(x * 2);
    note({y.array()});
    Array tripled(Shape{}, float32);
    triple({y.array()}, {tripled});
    const Array more = shifted({tripled})[0];
    return y * tripled + more;
  });
  for (int i = 0; i < 5; ++i) {
    const Variable x(floats({4}));
    const Variable y = chain(x);
    const double s = 2 * chainer::sum(x.array()).item<double>();
    expect_near(y.item<double>(), s * 3 * s + 3 * s + 1);
    expect_near(seen.back(), s);
    y.backward();
    expect_near(x.grad().to_vector<double>()[0], 2 * 3 * s);
  }
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 4);
}

TEST(static_code_must_return_what_it_returned) {
  int run = 0;
  const auto growing = static_code([&](const Arrays&) { return zeros({++run}); });
  auto chain = static_graph([&](const Variable& x) { return F::sum(x) + F::sum(growing({x.array()})[0]); });
  const NoBackpropMode no_graph;
  (void)chain(floats({2}));
  EXPECT_THROW(RuntimeError, "in the first call (1,)", (void)chain(floats({2})));
}

TEST(what_the_code_writes_to_an_argument_is_the_callers) {
  const auto count = static_code([](const Arrays&, Arrays& out) { out[0] += 1; });
  for (const int64_t step : {1, 2}) {
    auto chain = static_graph([&](const Variable& x, const Variable& counts) {
      count({}, {counts.array()});
      return x * 2;
    });
    const NoBackpropMode no_graph;
    const Array memory = zeros({6}), counts = memory[{Slice({}, {}, step)}];
    for (int i = 0; i < 4; ++i) (void)chain(floats({2}), counts);
    EXPECT_CLOSE(counts, full(counts.shape(), 4.));
    EXPECT_EQ(chain.schedule_manager().counts().replayed, 3);
  }
}

TEST(static_code_by_itself_is_the_function) {
  const auto twice = static_code([](const Arrays& in) { return Arrays{in[0] * 2, in[0]}; });
  EXPECT_EQ(twice({array({1.f, 2.f})})[0].to_vector<float>()[1], 4.f);
}

TEST(other_code_runs_when_it_is_recorded_only) {
  int runs = 0;
  auto chain = static_graph([&](const Variable& x) {
    ++runs;
    return x * 2;
  });
  const NoBackpropMode no_graph;
  for (int i = 0; i < 4; ++i) (void)chain(floats({2}));
  EXPECT_EQ(runs, 1);
}

TEST(each_replay_reports) {
  Reporting model;
  auto chain = static_graph(model);
  Reporter reporter;
  reporter.add_observer("main", &model);
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({6, 12}), t = random::randint(0, 5, {6}).astype(int32);
    Observation seen;
    const auto current = reporter.make_current();
    const auto scope = reporter.scope(seen);
    const Variable loss = chain(x, t);
    loss.backward();
    expect_near(seen.at("main/loss").number(), loss.item<double>());
    expect_near(seen.at("main/accuracy").number(), F::accuracy(model.mlp(x), t).item<double>());
    model.cleargrads();
  }
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 3);
}

TEST(a_classifier_keeps_what_it_computes) {
  L::Classifier classifier((Mlp()));
  auto chain = static_graph(classifier);
  for (int i = 0; i < 3; ++i) {
    const Variable loss = chain(floats({6, 12}), random::randint(0, 5, {6}).astype(int32));
    loss.backward();
    EXPECT(same(loss.array(), classifier.loss.array()));
  }
  EXPECT(chain.schedule_manager().refused().find("kept outside") != std::string::npos);
}

TEST(static_chains_do_not_nest) {
  auto inner = static_graph([](const Variable& x) { return x * 2; });
  auto outer = static_graph([&](const Variable& x) { return inner(x) + 1; });
  EXPECT_THROW(RuntimeError, "is called within another static chain", (void)outer(floats({2})));
  const Variable x(floats({2}));
  F::sum(inner(x)).backward();  // both chains can still be used
  F::sum(inner(x)).backward();
  EXPECT_EQ(inner.schedule_manager().counts().replayed, 1);
}

TEST(values_that_the_host_reads_are_never_replayed) {
  const auto read = [](const Variable& x) {
    const double scale = chainer::sum(x.array()).item<double>();
    return x * scale;
  };
  EXPECT(reason(read).find("a loop on the host reads elements") != std::string::npos);
  const auto looked_at = [](const Variable& x) { return any(x.array() > 100.f).item<bool>() ? x : x * 2; };
  EXPECT(reason(looked_at).find("a loop on the host reads elements") != std::string::npos);
  // Results are correct in every call.
  auto chain = static_graph(read);
  for (int i = 0; i < 3; ++i) {
    const Array x = floats({5});
    EXPECT(same(chain(x).array(), x * chainer::sum(x).item<double>()));
  }
}

TEST(arrays_from_elsewhere_are_never_replayed) {
  Array captured = floats({4});
  EXPECT(reason([&](const Variable& x) { return x * captured; }).find("created before the call is read") !=
         std::string::npos);
  const Variable weight(floats({4}));
  EXPECT(reason([&](const Variable& x) { return x * weight; }).find("created before the call is read") !=
         std::string::npos);
  EXPECT(reason([&](const Variable& x) {
           captured += chainer::sum(x.array());
           return x * 2;
         }).find("created before the call") != std::string::npos);
}

TEST(arrays_that_are_kept_outside_are_seen) {
  Variable state;
  const auto keeps = [&](const Variable& x) {
    state = F::tanh(x);
    return state * 2;
  };
  EXPECT(reason(keeps).find("kept outside") != std::string::npos);
  // A stateful link that is not reset runs define-by-run, with correct results.
  L::LSTM plain(4, 3), twin = plain.copy(CopyMode::copy);
  auto chain = static_graph(twin);
  for (int i = 0; i < 3; ++i) {
    plain.reset_state(), twin.reset_state();
    Variable u, v;
    Variables xs, ys;
    for (int k = 0; k < 3; ++k) {
      const Array x = floats({2, 4});
      xs.push_back(Variable(x)), ys.push_back(Variable(x));
      u = plain(xs.back()), v = chain(ys.back());
      EXPECT(same(u.array(), v.array()));
    }
    F::sum(u).backward(), F::sum(v).backward();
    EXPECT(same(plain.upward.W.grad(), twin.upward.W.grad()));
    for (std::size_t k = 0; k < xs.size(); ++k) EXPECT(same(xs[k].grad(), ys[k].grad()));
    plain.cleargrads(), twin.cleargrads();
  }
  EXPECT(!chain.schedule_manager().refused().empty());
}

TEST(numbers_of_the_mersenne_twister_are_never_replayed) {
  const auto noisy = [](const Variable& x) { return x + random::normal(0, 1, x.shape(), float32); };
  EXPECT(reason(noisy).find("Mersenne Twister") != std::string::npos);
  EXPECT_EQ(reason([](const Variable& x) { return F::dropout(x, 0.5); }), "");
  const auto seeding = [](const Variable& x) {
    random::seed(1);
    return F::dropout(x, 0.5);
  };
  EXPECT(reason(seeding).find("seeded") != std::string::npos);
}

TEST(gradients_that_a_call_leaves_in_parameters_are_seen) {
  Mlp model;
  auto chain = static_graph(
      [&](const Variable& x) {
        const Variable loss = F::sum(F::square(model(x)));
        model.cleargrads();
        loss.backward();
        return Variable(loss.array(), false);
      },
      model);
  Mlp plain = model.copy(CopyMode::copy);
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({3, 12});
    plain.cleargrads();
    F::sum(F::square(plain(x))).backward();
    (void)chain(x);
    EXPECT(same(plain.l1.W.grad(), model.l1.W.grad()));
  }
  EXPECT(!chain.schedule_manager().refused().empty());
}

TEST(an_optimizer_s_update_is_never_replayed) {
  Mlp model;
  auto optimizer = optimizers::Adam().setup(model);
  auto chain = static_graph(
      [&](const Variable& x) {
        const Variable loss = F::sum(F::square(model(x)));
        model.cleargrads();
        loss.backward();
        optimizer.update();
        return Variable(loss.array(), false);
      },
      model);
  Mlp plain = model.copy(CopyMode::copy);
  auto other = optimizers::Adam().setup(plain);
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({3, 12});
    const Variable loss = F::sum(F::square(plain(x)));
    plain.cleargrads();
    loss.backward();
    other.update();
    EXPECT(same(chain(x).array(), loss.array()));
    EXPECT(same(plain.l1.W.array(), model.l1.W.array()));
  }
  EXPECT(!chain.schedule_manager().refused().empty());
}

TEST(constants_made_inside_are_constants) {
  const auto f = [](const Variable& x) {
    Array mask = zeros({3, 4}), steps = arange(4).astype(float32), table = array({{0.5f, 2.f, 3.f, 4.f}});
    mask.set(1, 2.f);
    mask += 1;
    Array total = ones({3, 4});
    total += x.array();
    return x * mask + steps * table + Variable(total, false);
  };
  auto chain = static_graph(f);
  for (int i = 0; i < 4; ++i) {
    const Array x = floats({3, 4});
    const Variable u(x), v(x);
    const Variable y = f(u), z = chain(v);
    EXPECT(same(y.array(), z.array()));
    F::sum(y).backward(), F::sum(z).backward();
    EXPECT(same(u.grad(), v.grad()));
  }
  EXPECT_EQ(chain.schedule_manager().refused(), "");
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 3);
}

namespace {
struct Late : FunctionNode {
  explicit Late(Array* seen) : out(seen) {}
  Arrays forward(const Arrays& x) override {
    scale = x[0] * 2 + 1;  // deferred
    *out = scale;
    return {x[0].copy()};
  }
  Variables backward(const Indexes&, const Variables& gy) override { return {gy[0] * scale}; }
  Array scale, *out;
};
}  // namespace

// A computation that is deferred when the forward pass was recorded, and runs before the backward pass is recorded.
TEST(what_is_computed_unseen_is_never_replayed) {
  Array seen;
  auto chain = static_graph([&](const Variable& x) { return apply(Late(&seen), {x})[0]; });
  for (int i = 0; i < 4; ++i) {
    const Array a = floats({60, 100});
    const Variable x(a);
    const Variable y = F::sum(chain(x));
    if (seen) (void)seen.raw();
    seen = Array();
    y.backward();
    EXPECT(same(x.grad(), a * 2 + 1));
  }
  if (deferred::enabled())
    EXPECT(chain.schedule_manager().refused().find("outside the recording") != std::string::npos);
  // Code that reads arrays other than its arguments.
  auto peeks = static_graph([](const Variable& x) {
    const Array waits = x.array() * 3;
    const auto look = static_code([waits](const Arrays&) { (void)waits.raw(); });
    look({x.array()});
    return Variable(waits + 1, false);
  });
  for (int i = 0; i < 3; ++i) {
    const Array a = floats({60, 100});
    EXPECT(same(peeks(a).array(), a * 3 + 1));
    if (!peeks.schedule_manager().refused().empty()) break;  // in a replay its code would refer to freed memory
  }
}

TEST(options_and_modes_in_which_the_code_itself_runs) {
  int runs = 0;
  const auto f = [&](const Variable& x) {
    ++runs;
    return F::exp(x);
  };
  auto chain = static_graph(f, {.force_test_define_by_run = true});
  const Array x = floats({3});
  {
    const UsingConfig test_mode(&Config::train, false);
    const NoBackpropMode no_graph;
    for (int i = 0; i < 3; ++i) EXPECT(same(chain(x).array(), exp(x)));
  }
  EXPECT_EQ(runs, 3);
  auto hooked = static_graph(f);
  function_hooks::TimerHook timer;
  {
    const FunctionHookScope scope(timer);
    for (int i = 0; i < 3; ++i) (void)hooked(x);
  }
  EXPECT_EQ(timer.call_history().size(), std::size_t(3));
  EXPECT_EQ(runs, 6);
  {
    const DebugMode debug(true);
    for (int i = 0; i < 3; ++i) (void)hooked(x);
  }
  EXPECT_EQ(runs, 9);
  EXPECT_EQ(hooked.schedule_manager().counts().define_by_run, 6);
}

TEST(parameters_without_a_shape_get_it_before_anything_is_recorded) {
  L::Linear lazy(5);
  auto chain = static_graph(lazy);
  for (int i = 0; i < 3; ++i) F::sum(chain(floats({2, 7}))).backward();
  EXPECT_EQ(chain.schedule_manager().counts().define_by_run, 1);
  EXPECT_EQ(chain.schedule_manager().counts().replayed, 1);
}

TEST(a_static_chain_has_the_paths_of_its_link) {
  Mlp model;
  auto chain = static_graph(model);
  const auto a = model.namedparams(), b = chain.namedparams();
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].first, b[i].first);
  L::Classifier classifier(static_graph(Mlp()));
  EXPECT_EQ(classifier.namedparams()[0].first, std::string("/predictor/l1/W"));
  auto copy = chain.copy(CopyMode::copy);
  EXPECT(!copy.link().l1.W.is(model.l1.W));
  EXPECT(same(copy(ones({1, 12})).array(), model(ones({1, 12})).array()));
}

TEST(a_reader_of_a_schedule) {
  auto chain = static_graph([](const Variable& x) { return F::sum(F::tanh(x)); });
  const NoBackpropMode no_graph;
  (void)chain(floats({3}));
  const std::string text = chain.schedule_manager().text();
  EXPECT(text.find("tanh") != std::string::npos);
  chain.schedule_manager().clear();
  EXPECT_EQ(chain.schedule_manager().size(), std::size_t(0));
}
