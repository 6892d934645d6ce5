// SPDX-License-Identifier: MIT
// AveragedModel and StandardScaler.
#include <chainer/chainer.h>

#include <cmath>

#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

struct NormalizedLayer : Chain {
  L::Linear l{3, 2};
  L::BatchNormalization norm{2};
  CHAINER_MEMBERS(NormalizedLayer, l, norm);
  Variable forward(const Variable& x) { return norm(l(x)); }
};

struct ScaledModel : Chain {
  L::StandardScaler scaler;
  L::Linear l{3, 1};
  CHAINER_MEMBERS(ScaledModel, scaler, l);
};

}  // namespace

TEST(averaged_weights_follow_their_formulas) {
  random::seed(0);
  for (const std::optional<double> decay : {std::optional(0.9), std::optional<double>()}) {
    NormalizedLayer net;
    L::AveragedModel averaged(net, {.decay = decay});
    Array mean;
    for (int n = 1; n <= 5; ++n) {
      net.l.W.set_array(random::normal(0, 1, {2, 3}, float32));
      (void)net(random::normal(0, 1, {4, 3}, float32));  // updates the statistics
      const Array w = net.l.W.array().copy();
      mean = n == 1 ? w : decay ? mean * *decay + w * (1 - *decay) : mean + (w - mean) / n;
      averaged.update(net);
      EXPECT_EQ(averaged.n_averaged(), n);
      auto& copy = dynamic_cast<NormalizedLayer&>(averaged.model());
      EXPECT_CLOSE(copy.l.W.array(), mean, {.atol = 1e-6, .rtol = 1e-6});
      EXPECT_CLOSE(copy.norm.avg_mean, net.norm.avg_mean, {.atol = 0, .rtol = 0});
      EXPECT_CLOSE(net.l.W.array(), w, {.atol = 0, .rtol = 0});
    }
    const UsingConfig test_mode(&Config::train, false);
    const Array x = random::normal(0, 1, {4, 3}, float32);
    EXPECT_CLOSE(averaged(x).array(), dynamic_cast<NormalizedLayer&>(averaged.model())(x).array(),
                 {.atol = 0, .rtol = 0});
    // Saved and loaded, it continues with the same bits.
    const test::Folder folder;
    serializers::save_npz(folder.path / "a.npz", averaged);
    NormalizedLayer other;
    L::AveragedModel loaded(other, {.decay = decay});
    serializers::load_npz(folder.path / "a.npz", loaded);
    EXPECT_EQ(loaded.n_averaged(), 5);
    net.l.W.set_array(random::normal(0, 1, {2, 3}, float32));
    averaged.update(net), loaded.update(net);
    EXPECT_CLOSE(dynamic_cast<NormalizedLayer&>(loaded.model()).l.W.array(),
                 dynamic_cast<NormalizedLayer&>(averaged.model()).l.W.array(), {.atol = 0, .rtol = 0});
  }
  EXPECT_THROW(ValueError, "decay must be from 0 to 1, not 1.5", L::AveragedModel(NormalizedLayer(), {.decay = 1.5}));
}

TEST(averages_of_a_model_whose_sizes_are_found_later) {
  L::Linear model(2);
  L::AveragedModel averaged(model);
  averaged.update(model);
  (void)model(ones({1, 3}));
  averaged.update(model);
  EXPECT_CLOSE(dynamic_cast<L::Linear&>(averaged.model()).W.array(), model.W.array(), {.atol = 0, .rtol = 0});
}

TEST(standard_scaler_scales_and_returns) {
  random::seed(0);
  Array x = random::normal(5, 3, {50, 3}, float32);
  x.set({ellipsis, 1}, 4);
  x.set({0, 2}, std::nanf(""));
  L::StandardScaler scaler;
  EXPECT_THROW(RuntimeError, "call fit() first", scaler(x));
  scaler.fit(x);
  const Array y = scaler.transform(x);
  const Array first = y[{ellipsis, 0}];
  EXPECT(std::abs(mean(first).item<double>()) < 1e-6 && std::abs(stddev(first).item<double>() - 1) < 1e-6);
  EXPECT_CLOSE(y[{ellipsis, 1}], zeros({50}));
  EXPECT(std::isnan(y[{0, 2}].item<float>()) && !std::isnan(y[{1, 2}].item<float>()));
  EXPECT_CLOSE(scaler.inverse(y[{Slice(1, {})}]).array(), x[{Slice(1, {})}], {.atol = 1e-5, .rtol = 1e-5});
  Variable v(x[{Slice(1, {})}]);
  F::sum(scaler(v)).backward();
  EXPECT_CLOSE(v.grad()[0], 1.f / scaler.scale);

  const test::Folder folder;
  ScaledModel saved, loaded;
  saved.scaler.fit(x);
  serializers::save_npz(folder.path / "m.npz", saved);
  serializers::load_npz(folder.path / "m.npz", loaded);
  EXPECT_CLOSE(loaded.scaler.transform(x)[{Slice(1, {})}], y[{Slice(1, {})}], {.atol = 0, .rtol = 0});

  EXPECT_THROW(DimensionError, "expects rows of shape (3,), as in fit(), got an array of shape (2, 4)",
               scaler(zeros({2, 4})));
  EXPECT_THROW(ValueError, "expects rows", L::StandardScaler().fit(zeros({0, 3})));
  EXPECT_THROW(ValueError, "column 1 is NaN in all 2 rows",
               L::StandardScaler().fit(array({{1.f, std::nanf("")}, {2.f, std::nanf("")}})));
}

TEST(averages_of_models_in_16_bits_take_small_steps) {
  for (const Dtype dtype : {float16, bfloat16}) {
    const UsingConfig narrow(&Config::dtype, dtype);
    L::Linear model(2, 1);
    const auto fill = [&](double v) { model.W.set_array(full({1, 2}, v, dtype)); };
    fill(0);
    L::AveragedModel averaged(model, {.decay = 0.999});
    averaged.update(model);
    fill(1);
    const auto mean = [](const L::AveragedModel& m) {
      return dynamic_cast<L::Linear&>(m.model()).W.array()[{0, 0}].item<double>();
    };
    for (int i = 0; i < 1000; ++i) averaged.update(model);
    EXPECT(std::abs(mean(averaged) - (1 - std::pow(0.999, 1000))) < 0.004);
    // The small steps go on after a snapshot.
    const test::Folder folder;
    serializers::save_npz(folder.path / "a.npz", averaged);
    L::AveragedModel loaded(model, {.decay = 0.999});
    serializers::load_npz(folder.path / "a.npz", loaded);
    for (int i = 0; i < 7; ++i) averaged.update(model), loaded.update(model);
    for (int i = 0; i < 20; ++i) {
      averaged.update(model), loaded.update(model);
      EXPECT_EQ(mean(loaded), mean(averaged));
    }
    // A model whose weights were set by hand is averaged from there.
    dynamic_cast<L::Linear&>(averaged.model()).W.set_array(full({1, 2}, 0.25, dtype));
    averaged.update(model);
    EXPECT(std::abs(mean(averaged) - 0.25) < 0.002);
  }
}
