// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <cmath>

#include "chainer/core/parallel.h"
#include "chainer/core/warnings.h"
#include "test.h"

using namespace chainer;

namespace {

struct One : Link {
  Parameter w;
  explicit One(const Array& start) : w(start) {}
  CHAINER_MEMBERS(One, w);
};

const serializers::NpzFile& reference() {
  static const serializers::NpzFile f(TEST_DATA "optimizers.npz");
  return f;
}

// Ten steps with the initial values and gradients of the release; the parameter must agree after every step.
template <class O>
void check(const char* name, O optimizer, std::shared_ptr<optimizer::Hook> hook = nullptr) {
  One link(reference().array("start"));
  optimizer.setup(link);
  if (hook) optimizer.add_hook(hook);
  random::seed(5);
  const Array grads = reference().array("grads"), expected = reference().array(name);
  for (int64_t i = 0; i < len(grads); ++i) {
    link.w.set_grad(grads[i].copy());
    optimizer.update();
    EXPECT_CLOSE(link.w.array(), expected[i], {.atol = 2e-6, .rtol = 2e-5});
  }
  EXPECT_EQ(optimizer.t, 10);
}

// The same for an optimizer that the release lacks: the paper's formula in float64, on the parameter, the gradient and
// up to three states, which begin with zeros. It returns the next parameter.
template <class O>
void follows(O optimizer, const std::function<Array(const Array& w, const Array& g, Arrays& states)>& formula) {
  One link(reference().array("start").astype(float64));
  optimizer.setup(link);
  Array w = link.w.array().copy();
  Arrays states{zeros_like(w), zeros_like(w), zeros_like(w)};
  const Array grads = reference().array("grads").astype(float64);
  for (int64_t i = 0; i < len(grads); ++i) {
    link.w.set_grad(grads[i].copy());
    optimizer.update();
    w = formula(w, grads[i], states);
    EXPECT_CLOSE(link.w.array(), w, {.atol = 1e-12, .rtol = 1e-10});
  }
}

}  // namespace

TEST(ten_steps_equal_the_releases) {
  check("AdaDelta", optimizers::AdaDelta());
  check("AdaGrad", optimizers::AdaGrad());
  check("Adam", optimizers::Adam());
  check("AMSGrad", optimizers::Adam({.amsgrad = true}));
  check("AdamW", optimizers::Adam({.eta = .5, .weight_decay_rate = .1}));
  check("CorrectedMomentumSGD", optimizers::CorrectedMomentumSGD());
  check("MomentumSGD", optimizers::MomentumSGD());
  check("NesterovAG", optimizers::NesterovAG());
  check("RMSprop", optimizers::RMSprop());
  check("RMSpropInside", optimizers::RMSprop({.eps_inside_sqrt = true}));
  check("RMSpropGraves", optimizers::RMSpropGraves());
  check("SGD", optimizers::SGD());
  check("SMORMS3", optimizers::SMORMS3());
  check("MSVAG", optimizers::MSVAG());
}

TEST(adamw_decays_by_the_rate) {
  for (const bool amsgrad : {false, true}) {
    const double lr = 0.01, b1 = 0.9, b2 = 0.99, eps = 1e-3, decay = 0.1;
    double n = 0;
    follows(optimizers::AdamW(
                {.alpha = lr, .beta1 = b1, .beta2 = b2, .eps = eps, .weight_decay = decay, .amsgrad = amsgrad}),
            [&](const Array& w, const Array& g, Arrays& s) {
              s[0] = s[0] * b1 + g * (1 - b1);
              s[1] = s[1] * b2 + g * g * (1 - b2);
              s[2] = maximum(s[2], s[1]);
              const double c1 = 1 - std::pow(b1, ++n), c2 = 1 - std::pow(b2, n);
              return w * (1 - lr * decay) - s[0] / (sqrt((amsgrad ? s[2] : s[1]) / c2) + eps) * (lr / c1);
            });
  }
  One still(full({3}, 2.));
  auto optimizer = optimizers::AdamW({.alpha = 0.1}).setup(still);
  still.w.set_grad(zeros({3}));
  optimizer.update();
  EXPECT_CLOSE(still.w.array(), full({3}, 2 * (1 - 0.1 * 0.01)));
}

TEST(hooks_equal_the_releases) {
  namespace h = optimizer_hooks;
  check("WeightDecay", optimizers::SGD({.lr = .1}), std::make_shared<h::WeightDecay>(.1));
  check("Lasso", optimizers::SGD({.lr = .1}), std::make_shared<h::Lasso>(.1));
  check("GradientClipping", optimizers::SGD({.lr = .1}), std::make_shared<h::GradientClipping>(1.));
  check("GradientHardClipping", optimizers::SGD({.lr = .1}), std::make_shared<h::GradientHardClipping>(-.5, .3));
  check("GradientLARS", optimizers::SGD({.lr = .1}), std::make_shared<h::GradientLARS>(.01, .1));
  check("GradientNoise", optimizers::SGD({.lr = .1}), std::make_shared<h::GradientNoise>(.3));
}

TEST(norms_of_16_bit_gradients_neither_overflow_nor_vanish) {
  for (const double g : {300., 1e-4}) {
    One link(full({1000}, 2., float16));
    auto clipped = optimizers::SGD({.lr = 0.}).setup(link);
    clipped.add_hook(optimizer_hooks::GradientClipping(g));
    link.w.set_grad(full({1000}, g, float16));
    clipped.update();
    EXPECT_CLOSE(link.w.grad().astype(float64), full({1000}, g / std::sqrt(1000.), float64), {.atol = 0, .rtol = .02});

    One scaled(full({1000}, g, float16));
    auto by_layer = optimizers::SGD({.lr = 0.}).setup(scaled);
    by_layer.add_hook(optimizer_hooks::GradientLARS(1e-5));
    scaled.w.set_grad(full({1000}, g / 2, float16));
    by_layer.update();
    EXPECT_CLOSE(scaled.w.grad().astype(float64), full({1000}, g, float64), {.atol = 0, .rtol = .02});
  }
}

TEST(three_steps_in_float64_meet_the_table) {
  const auto run = [](auto optimizer, std::initializer_list<double> expected) {
    One link(array({1., -2.}));
    optimizer.setup(link);
    for (const Array& g : {array({.5, -1.}), array({.25, 2.}), array({-1., .1})}) {
      link.w.set_grad(g);
      optimizer.update();
    }
    EXPECT_CLOSE(link.w.array(), array(expected), {.atol = 0, .rtol = 1e-11});
  };
  run(optimizers::SGD(), {1.0025, -2.011});
  run(optimizers::MomentumSGD(), {.9917, -2.0119});
  run(optimizers::NesterovAG(), {.998027, -2.030539});
  run(optimizers::AdaGrad(), {.999425657986, -1.9999391039});
  run(optimizers::AdaDelta(), {.9987104513, -2.00160225422});
  run(optimizers::Adam(), {.998274178491, -1.99967737711});
  run(optimizers::SMORMS3(), {.999283913169, -2.00012352406});
  run(optimizers::MSVAG(), {.918013488652, -1.91468174723});
}

TEST(half_precision_with_and_without_master_copies) {
  One plain(ones({3}, float16)), wide(ones({3}, float16));
  auto a = optimizers::SGD({.lr = 1e-4}).setup(plain);
  auto b = optimizers::SGD({.lr = 1e-4});
  b.use_fp32_update();
  b.setup(wide);
  for (int i = 0; i < 20; ++i) {
    plain.w.set_grad(ones({3}, float16));
    wide.w.set_grad(ones({3}, float16));
    a.update();
    b.update();
  }
  EXPECT_EQ(plain.w.array().to_vector<float>()[0], 1.f);  // every step is lost in rounding
  EXPECT(wide.w.array().to_vector<float>()[0] < 0.9985f);
  One half(ones({2}, float16));
  auto adam = optimizers::Adam().setup(half);
  half.w.set_grad(ones({2}, float16));
  EXPECT_THROW(ValueError, "zero in float16", adam.update());
}

TEST(master_copies_are_saved_and_follow_what_is_written) {
  const auto start = [](One& link) {
    optimizers::SGD o({.lr = 1e-4});
    o.use_fp32_update();
    o.setup(link);
    return o;
  };
  const auto step = [](One& link, optimizers::SGD& o) {
    link.w.set_grad(ones({3}, float16));
    o.update();
  };
  // 200 steps, each of which may be made by a new process that loads the state.
  One whole(ones({3}, float16));
  auto uninterrupted = start(whole);
  std::string model, state;
  for (int i = 0; i < 200; ++i) {
    step(whole, uninterrupted);
    One link(zeros({3}, float16));
    auto o = start(link);
    if (i > 0) {
      const auto load = [](auto& object, const std::string& saved) {
        serializers::NpzDeserializer in(std::make_shared<const serializers::NpzFile>(saved, "memory"));
        object.serialize(in);
      };
      load(link, model);
      load(o, state);
    } else {
      link.w.set_array(ones({3}, float16));
    }
    step(link, o);
    const auto save = [](auto& object) {
      serializers::DictionarySerializer out;
      object.serialize(out);
      return serializers::npz_bytes(out.target());
    };
    model = save(link);
    state = save(o);
    EXPECT_EQ(link.w.array().to_vector<float>()[0], whole.w.array().to_vector<float>()[0]);
  }
  EXPECT(whole.w.array().to_vector<float>()[0] < 0.981f);

  // The next update starts from values written to the parameter by other code, element by element.
  One link(ones({3}, float16)), other(full({3}, 5, float16));
  auto o = start(link);
  for (int i = 0; i < 3; ++i) step(link, o);
  link.copyparams(other);
  step(link, o);
  EXPECT_EQ(link.w.array().to_vector<float>()[0], 5.f);
  link.w.set_array(array({7.f, 5.f, 5.f}).astype(float16));
  step(link, o);
  EXPECT(link.w.array().to_vector<float>() == (std::vector<float>{7, 5, 5}));
  Array second = link.w.array()[1];
  second.fill(0.5);
  step(link, o);
  EXPECT_CLOSE(link.w.array().astype(float32), array({7.f, 0.49990234f, 5.f}), {.atol = 2e-4});
  // The other elements keep the digits lost in rounding: 40 steps of 1e-4 from 5 make one step of float16.
  for (int i = 0; i < 40; ++i) step(link, o);
  EXPECT(link.w.array().to_vector<float>()[2] < 5.f);
  // A state without a float32 copy, as in the release, starts from the rounded values.
  serializers::DictionarySerializer plain;
  One fresh(full({3}, 2, float16));
  auto narrow = optimizers::SGD().setup(fresh);
  narrow.serialize(plain);
  serializers::NpzDeserializer in(
      std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(plain.target()), "memory"));
  link.w.set_array(full({3}, 2, float16));
  o.serialize(in);
  step(link, o);
  EXPECT_EQ(link.w.array().to_vector<float>()[0], 2.f);
}

TEST(updates_without_gradients_change_nothing) {
  One link(array({1.f, 2.f}));
  auto adam = optimizers::Adam().setup(link);
  link.w.cleargrad();
  adam.update();
  EXPECT_CLOSE(link.w.array(), array({1.f, 2.f}), {.atol = 0, .rtol = 0});
  const std::string warning = last_warning();
  link.w.cleargrad();
  adam.update();
  EXPECT_EQ(last_warning(), warning);  // the same text is printed once
}

TEST(loss_scale_is_divided_out) {
  One a(array({2.f})), b(array({2.f}));
  auto plain = optimizers::SGD().setup(a), scaled = optimizers::SGD().setup(b);
  scaled.set_loss_scale(128);
  plain.update([&] { return a.w.variable() * a.w.variable(); });
  scaled.update([&] { return b.w.variable() * b.w.variable(); });
  EXPECT_CLOSE(b.w.array(), a.w.array(), {.atol = 0, .rtol = 1e-7});
}

// Gradients 2 w of one parameter, or infinity where `broken`.
void step(GradientMethod& optimizer, One& link, bool broken) {
  optimizer.update([&] { return link.w.variable() * link.w.variable() * (broken ? INFINITY : 1.0); });
}

TEST(a_dynamic_loss_scale_follows_infinities) {
  One plain(array({2.f})), link(array({2.f}));
  auto reference = optimizers::Adam().setup(plain), adam = optimizers::Adam().setup(link);
  adam.loss_scaling({.interval = 2, .initial = 8});
  EXPECT(adam.scales_dynamically());
  for (int i = 0; i < 4; ++i) {
    step(adam, link, false);
    step(reference, plain, false);
  }
  EXPECT(std::abs(*adam.loss_scale() - 32) < 1e-9);
  EXPECT_CLOSE(link.w.array(), plain.w.array(), {.atol = 0, .rtol = 1e-6});
  const Array before = link.w.array().copy();
  step(adam, link, true);  // left out: neither the parameter, nor the states, nor the count of updates change
  EXPECT(!adam.is_safe_to_update());
  EXPECT_EQ(adam.skipped_updates(), 1);
  EXPECT_EQ(adam.t, 4);
  EXPECT(std::abs(*adam.loss_scale() - 16) < 1e-9);
  EXPECT_CLOSE(link.w.array(), before, {.atol = 0, .rtol = 0});
  step(adam, link, false);
  step(reference, plain, false);
  EXPECT(adam.is_safe_to_update());
  EXPECT_CLOSE(link.w.array(), plain.w.array(), {.atol = 0, .rtol = 1e-6});

  for (int i = 0; i < 10; ++i) step(adam, link, true);
  EXPECT_EQ(*adam.loss_scale(), 1.0);
  adam.loss_scaling({.interval = 1, .initial = 40000});
  for (int i = 0; i < 3; ++i) step(adam, link, false);
  EXPECT_EQ(*adam.loss_scale(), 65504.0);
  EXPECT_THROW(ValueError, "the scale must be positive, not -1", adam.loss_scaling({.scale = -1}));
  EXPECT_THROW(ValueError, "interval must be positive, not 0", adam.loss_scaling({.interval = 0}));
  adam.set_loss_scale(4);
  EXPECT(!adam.scales_dynamically());
}

TEST(a_dynamic_loss_scale_is_saved) {
  One a(array({2.f})), b(array({2.f}));
  auto saved = optimizers::SGD().setup(a), loaded = optimizers::SGD().setup(b);
  saved.loss_scaling({.initial = 1024});
  step(saved, a, true);
  serializers::DictionarySerializer out;
  saved.serialize(out);
  loaded.loss_scaling();
  serializers::NpzDeserializer in(
      std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(out.target(), false), "memory"));
  loaded.serialize(in);
  EXPECT_EQ(*loaded.loss_scale(), 512.0);
  EXPECT_EQ(loaded.skipped_updates(), 1);
  auto constant = optimizers::SGD().setup(b);  // files with a scale are read by optimizers without one
  constant.serialize(in);
  EXPECT(!constant.loss_scale());
}

TEST(hyperparameters_and_rules_of_ones_own) {
  One link(array({1.f}));
  auto sgd = optimizers::SGD({.lr = 0.5}).setup(link);
  EXPECT_EQ(sgd.get("lr"), 0.5);
  sgd.set("lr", 0.25);
  EXPECT_EQ(to_string(sgd.hyperparam()), "Hyperparameter(lr=0.25)");
  EXPECT_THROW(KeyError, "no hyperparameter 'momentum'", sgd.set("momentum", 1));
  auto& rule = dynamic_cast<UpdateRule&>(*link.w.update_rule());
  rule.hyperparam().set("lr", 2);
  link.w.set_grad(array({1.f}));
  sgd.update();
  EXPECT_EQ(link.w.array().item<float>(), -1.f);
  auto adam = optimizers::Adam();
  EXPECT_THROW(RuntimeError, "t is 0", adam.lr());
}

TEST(hooks_by_hand) {
  One link(array({1.f}));
  optimizers::SGD sgd;
  EXPECT_THROW(RuntimeError, "call setup() first", sgd.add_hook(optimizer_hooks::WeightDecay(1)));
  sgd.setup(link);
  std::string order;
  sgd.add_hook(optimizer::make_hook("pre", [&](Optimizer&) { order += "a"; }));
  sgd.add_hook(optimizer::make_hook(
      "post", [&](UpdateRule&, Parameter&) { order += "b"; }, optimizer::Timing::post));
  EXPECT_THROW(KeyError, "already exists", sgd.add_hook(optimizer::make_hook("pre", [](Optimizer&) {})));
  auto& one = dynamic_cast<UpdateRule&>(*sgd.target().params()[0].update_rule());
  const auto nothing = [] { return optimizer::make_hook("own", [](UpdateRule&, Parameter&) {}); };
  one.add_hook(nothing());
  EXPECT_THROW(ValueError, "hook 'own' already exists", one.add_hook(nothing()));
  link.w.set_grad(array({1.f}));
  sgd.update();
  EXPECT_EQ(order, "ab");
  sgd.remove_hook("pre");
  EXPECT_THROW(KeyError, "does not exist", sgd.remove_hook("pre"));
  EXPECT_THROW(RuntimeError, "use_auto_new_epoch", sgd.new_epoch(true));
  sgd.new_epoch();
  EXPECT_EQ(sgd.epoch, 1);
}

TEST(vanishing_gradients_do_not_slow_updates) {
  One link(zeros({100000}));
  auto adam = optimizers::Adam().setup(link);
  link.w.set_grad(full({100000}, 1e-3));
  adam.update();
  link.w.set_grad(zeros({100000}));
  for (int i = 0; i < 1500; ++i) adam.update();
  EXPECT(cpu::denormals_flushed());
  const auto& state = dynamic_cast<UpdateRule&>(*link.w.update_rule()).state;
  // The first moment reached zero instead of a denormal, or a number of which a tenth is flushed to zero.
  const Array& moment = state[0].second;
  EXPECT_EQ(count_nonzero(greater(abs(moment), 11 * std::numeric_limits<float>::min())).item<int>(), 0);
  EXPECT_EQ(count_nonzero(moment * 0x1p24f).item<int>(), count_nonzero(moment).item<int>());
}

// Hooks see gradients without the scale.
TEST(loss_scale_is_divided_out_before_hooks) {
  const std::shared_ptr<optimizer::Hook> hooks[] = {std::make_shared<optimizer_hooks::WeightDecay>(0.5),
                                                    std::make_shared<optimizer_hooks::Lasso>(0.25),
                                                    std::make_shared<optimizer_hooks::GradientClipping>(1.0),
                                                    std::make_shared<optimizer_hooks::GradientHardClipping>(-1.0, 1.0)};
  for (const auto& hook : hooks)
    for (const bool dynamic : {false, true}) {
      One a(array({2.f, -3.f})), b(array({2.f, -3.f}));
      auto plain = optimizers::SGD({.lr = 0.125}).setup(a), scaled = optimizers::SGD({.lr = 0.125}).setup(b);
      plain.add_hook(hook), scaled.add_hook(hook);
      dynamic ? scaled.loss_scaling({.initial = 1024}) : scaled.set_loss_scale(1024);
      for (int i = 0; i < 3; ++i) {
        plain.update([&] { return F::sum(a.w.variable() * a.w.variable()); });
        scaled.update([&] { return F::sum(b.w.variable() * b.w.variable()); });
      }
      EXPECT_CLOSE(b.w.array(), a.w.array(), {.atol = 0, .rtol = 1e-6});
    }
}

TEST(hooks_do_not_round_scaled_gradients_of_16_bits) {
  One link(array({1.f}).astype(float16));
  auto optimizer = optimizers::SGD({.lr = 1e6}).setup(link);
  optimizer.use_fp32_update();
  optimizer.add_hook(std::make_shared<optimizer_hooks::WeightDecay>(0.0));
  optimizer.set_loss_scale(32768);
  optimizer.update([&] { return link.w.variable() * 1e-4 * 1e-4; });  // 0 in float16 without the scale
  EXPECT(std::abs(link.w.array().astype(float32).item<float>() - 0.99f) < 0.002f);
}

TEST(hooks_account_for_the_loss_scale_of_16_bits) {
  const std::shared_ptr<optimizer::Hook> hooks[] = {
      std::make_shared<optimizer_hooks::WeightDecay>(0.5),
      std::make_shared<optimizer_hooks::Lasso>(0.25),
      std::make_shared<optimizer_hooks::GradientClipping>(1.0),
      std::make_shared<optimizer_hooks::GradientHardClipping>(-1.0, 1.0),
      std::make_shared<optimizer_hooks::GradientLARS>(0.01, 0.5),
      std::make_shared<optimizer_hooks::GradientNoise>(
          0.5, [](const Shape& s, Dtype d, const optimizer_hooks::GradientNoise&, const UpdateRule&) {
            return full(s, 0.5, d);
          })};
  for (const auto& hook : hooks) {
    One a(array({2.f, -3.f})), b(array({2.f, -3.f}).astype(float16));
    auto plain = optimizers::SGD({.lr = 0.125}).setup(a), scaled = optimizers::SGD({.lr = 0.125}).setup(b);
    scaled.use_fp32_update();
    plain.add_hook(hook), scaled.add_hook(hook);
    scaled.set_loss_scale(128);
    for (int i = 0; i < 3; ++i) {
      plain.update([&] { return F::sum(a.w.variable() * a.w.variable()); });
      scaled.update([&] { return F::sum(b.w.variable() * b.w.variable()); });
    }
    EXPECT_CLOSE(b.w.array().astype(float32), a.w.array(), {.atol = 1e-3, .rtol = 4e-3});
  }
}

TEST(a_loss_scale_belongs_to_the_gradient_of_its_backward) {
  One link(array({4.f}));
  auto optimizer = optimizers::SGD({.lr = 1}).setup(link);
  optimizer.set_loss_scale(128);
  optimizer.update([&] { return F::sum(link.w.variable()); });
  EXPECT_EQ(link.w.array().item<float>(), 3.f);
  optimizer.update();  // the same gradient again
  EXPECT_EQ(link.w.array().item<float>(), 2.f);
  link.w.set_grad(array({0.5f}));
  optimizer.update();
  EXPECT_EQ(link.w.array().item<float>(), 1.5f);
  // A gradient that moves keeps its scale.
  link.cleargrads();
  F::sum(link.w.variable()).backward({.loss_scale = 64});
  const Array g = link.w.grad();
  link.cleargrads();
  link.w.set_grad(g);
  optimizer.update();
  EXPECT_EQ(link.w.array().item<float>(), 0.5f);
}
