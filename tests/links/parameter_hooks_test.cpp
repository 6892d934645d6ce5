// SPDX-License-Identifier: MIT
// Hooks that replace parameters: spectral normalization, standardized weights, adaptation of low rank.
#include <chainer/chainer.h>

#include <cmath>
#include <thread>

#include "chainer/core/parallel.h"
#include "chainer/inference/prepare.h"
#include "chainer/links/attention.h"
#include "chainer/links/parameter_hooks.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

using link_hooks::SpectralNormalization;
using link_hooks::WeightStandardization;

double largest_singular_value(const Array& rows) { return max(svd(rows).s).item<double>(); }

template <class Hook>
std::shared_ptr<Hook> made(auto... options) {
  return std::make_shared<Hook>(options...);
}

}  // namespace

TEST(spectral_normalization_divides_by_the_largest_singular_value) {
  random::seed(1);
  L::Linear link(6, 4);
  const Array w = link.W.array().copy(), x = random::normal(0, 1, {3, 6}, float32);
  link.add_hook(made<SpectralNormalization>());
  Variable y;
  for (int i = 0; i < 100; ++i) y = link(x);
  const double sigma = largest_singular_value(w);
  EXPECT_CLOSE(y.array(), matmul(x, w.T()) / sigma, {.atol = 1e-5});
  EXPECT_CLOSE(link.W.array(), w, {.atol = 0, .rtol = 0});
  const Array u = link.persistent("W_u").copy();
  {
    const UsingConfig test(&Config::train, false);
    EXPECT_CLOSE(link(x).array(), y.array(), {.atol = 1e-6});
  }
  EXPECT_CLOSE(link.persistent("W_u"), u, {.atol = 0, .rtol = 0});
  // d sum(W x / s) / dW = x / s - sum(W x) / s^2 u v^T.
  link.cleargrads();
  F::sum(link(x)).backward();
  const auto [left, values, right] = svd(w);
  const Array outer = matmul(expand_dims(left[{Slice(), 0}], 1), expand_dims(right[{0}], 0)).astype(float32);
  const Array plain = matmul(ones({4, 3}), x);
  EXPECT_CLOSE(link.W.grad(), plain / sigma - sum(matmul(x, w.T())) / (sigma * sigma) * outer, {.atol = 1e-4});
}

TEST(spectral_normalization_of_deconvolutions_and_options) {
  random::seed(2);
  L::Deconvolution2D link(3, 5, 2);
  const Array w = link.W.array().copy();
  link.add_hook(made<SpectralNormalization>(
      link_hooks::SpectralNormalizationOptions{.n_power_iteration = 100, .use_gamma = true, .factor = 3}));
  const double sigma = largest_singular_value(moveaxis(w, 1, 0).reshape({5, -1}));
  EXPECT(std::abs(link.param("W_gamma").array().item<double>() / sigma - 1) < 0.02);
  const Array x = ones({1, 3, 1, 1});
  const double gamma = link.param("W_gamma").array().item<double>();
  EXPECT_CLOSE(link(x).array(), F::deconvolution_2d(x, w * (3 * gamma / sigma), *link.b).array(), {.atol = 1e-4});
  EXPECT_EQ(link.namedparams().size(), 3u);
  L::Linear lazy(4);
  EXPECT_THROW(ValueError, "'W' of the Linear has no size yet", lazy.add_hook(made<SpectralNormalization>()));
  EXPECT_THROW(ValueError, "the Sequential has no parameter 'W'",
               Sequential(F::relu).add_hook(made<SpectralNormalization>()));
  EXPECT_THROW(ValueError, "n_power_iteration must be positive, not 0",
               link.add_hook(made<SpectralNormalization>(
                                 link_hooks::SpectralNormalizationOptions{.n_power_iteration = 0, .weight_name = "W"}),
                             "other"));
}

TEST(spectral_normalization_is_saved_and_copied) {
  const test::Folder folder;
  random::seed(3);
  const Array x = random::normal(0, 1, {2, 3}, float32);
  L::Linear link(3, 4), other(3, 4);
  link.add_hook(made<SpectralNormalization>());
  other.add_hook(made<SpectralNormalization>());
  for (int i = 0; i < 3; ++i) (void)link(x);
  serializers::save_npz(folder.path / "link", link);
  serializers::load_npz(folder.path / "link", other);
  const UsingConfig test(&Config::train, false);
  EXPECT_CLOSE(other(x).array(), link(x).array(), {.atol = 0, .rtol = 0});
  auto copy = link.copy(CopyMode::copy);
  copy.W.set_array(copy.W.array() * 5);
  EXPECT_CLOSE(copy(x).array(), link(x).array(), {.atol = 1e-6});
}

TEST(standardized_weights) {
  random::seed(4);
  L::Convolution2D link(3, 4, 3);
  const Array w = link.W.array().copy(), x = random::normal(0, 1, {2, 3, 5, 5}, float32);
  link.add_hook(made<WeightStandardization>());
  const Axes others{1, 2, 3};
  const Array distance = w - mean(w, others, true);
  const Array expected = distance / sqrt(mean(distance * distance, others, true) + 1e-5);
  EXPECT_CLOSE(link(x).array(), F::convolution_2d(x, expected, *link.b).array(), {.atol = 1e-4});
  link.cleargrads();
  F::sum(F::square(link(x))).backward();
  // Gradients have no part along what is subtracted.
  EXPECT_CLOSE(mean(link.W.grad(), others), zeros({4}), {.atol = 1e-4});
}

namespace {

struct Throws : Chain {
  L::Linear l{3, 3};
  CHAINER_MEMBERS(Throws, l);
  Variable forward(const Variable& x) { return l(x); }
};

}  // namespace

TEST(parameters_are_restored_after_errors) {
  Throws model;
  const Parameter before = model.l.W;
  model.l.add_hook(made<WeightStandardization>());
  EXPECT_THROW(InvalidType, "", model(zeros({2, 4})));
  EXPECT(model.l.W.is(before));
  (void)model(zeros({2, 3}));
  EXPECT(model.l.W.is(before));
}

TEST(copies_with_hooks_are_called_by_several_threads) {
  random::seed(5);
  L::Linear link(8, 8);
  link.add_hook(made<WeightStandardization>());
  const Array x = random::normal(0, 1, {4, 8}, float32);
  const Array expected = link(x).array();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t, copy = link.copy(CopyMode::copy)]() mutable {
      for (int i = 0; i < 200; ++i) wrong[t] += !all(copy(x).array() == expected).item<bool>();
    });
  for (std::thread& t : threads) t.join();
  EXPECT(wrong == std::vector<int>(4, 0));
}

namespace {

std::shared_ptr<L::TransformerEncoder> encoder() {
  random::seed(6);
  auto model = std::make_shared<L::TransformerEncoder>(2, 8, 2, L::TransformerLayerOptions{.dropout = 0});
  (void)model->forward(zeros({1, 3, 8}));
  return model;
}

struct Tagger : Chain {
  L::LowRankAdaptation features;
  L::Linear head{8, 2};
  explicit Tagger(std::shared_ptr<Link> model) : features(std::move(model), {.rank = 2, .alpha = 4}) {}
  CHAINER_MEMBERS(Tagger, features, head);
  Variable forward(const Variable& x) { return head(F::mean(features(x), 1)); }
};

double train(Tagger& model, int steps) {
  random::seed(7);
  auto optimizer = optimizers::Adam({.alpha = 0.02}).setup(model);
  const Array x = random::normal(0, 1, {6, 3, 8}, float32), t = array({0, 1, 0, 1, 0, 1});
  double loss = 0;
  for (int i = 0; i < steps; ++i)
    optimizer.update([&] {
      const Variable l = F::softmax_cross_entropy(model(x), t);
      loss = l.item<double>();
      return l;
    });
  return loss;
}

}  // namespace

TEST(adaptation_of_low_rank_trains_few_parameters) {
  const auto model = encoder();
  std::map<std::string, Array> before;
  for (const auto& [path, p] : model->namedparams()) before[path] = p.array().copy();
  const Array x = random::normal(0, 1, {2, 3, 8}, float32);
  const Array plain = model->forward(x).array();
  Tagger tagger(model);
  EXPECT_EQ(tagger.features.paths().size(), 4u);  // two layers, query and value
  EXPECT_EQ(tagger.features.count_params(), 4 * 2 * 2 * 8);
  EXPECT_CLOSE(tagger.features(x).array(), plain, {.atol = 0, .rtol = 0});  // up is zero
  const double first = train(tagger, 1), last = train(tagger, 60);
  EXPECT(last < 0.5 * first);
  for (const auto& [path, p] : model->namedparams()) {
    if (path.find("low_rank") != path.npos) continue;
    EXPECT_CLOSE(p.array(), before.at(path), {.atol = 0, .rtol = 0});
    EXPECT(p.has_first_gradient());  // no gradient was computed
  }
  EXPECT_THROW(ValueError, "is adapted already", L::LowRankAdaptation{Kept<Link>(model)});
  // The definition.
  const Array adapted = tagger.features(x).array();
  tagger.features.merge();
  EXPECT_CLOSE(model->forward(x).array(), adapted, {.atol = 1e-5});
  EXPECT(mean(abs(adapted - plain)).item<double>() > 1e-3);
  EXPECT_EQ(tagger.features.params().size(), 0u);
  EXPECT_THROW(RuntimeError, "merged already", tagger.features.merge());
}

TEST(adaptations_are_saved_without_the_model) {
  const test::Folder folder;
  Tagger tagger(encoder()), other(encoder());
  (void)train(tagger, 5);
  serializers::save_npz(folder.path / "adapted", tagger);
  EXPECT_EQ(tagger.namedparams().size(), 4u * 2 + 2);
  EXPECT_EQ(tagger.namedparams()[0].first, "/features/layers/0/attention/query/down");
  serializers::load_npz(folder.path / "adapted", other);
  const Array x = random::normal(0, 1, {2, 3, 8}, float32);
  EXPECT_CLOSE(other(x).array(), tagger(x).array(), {.atol = 0, .rtol = 0});
  // A copy is trained apart from the original.
  const Array y = tagger(x).array();
  auto copy = tagger.copy(CopyMode::copy);
  EXPECT_CLOSE(copy(x).array(), y, {.atol = 0, .rtol = 0});
  (void)train(copy, 3);
  EXPECT_CLOSE(tagger(x).array(), y, {.atol = 0, .rtol = 0});
  EXPECT(any(copy(x).array() != y).item<bool>());
  // So are the weights that a copy has merged.
  const Array z = copy(x).array();
  copy.features.merge();
  EXPECT_CLOSE(copy(x).array(), z, {.atol = 1e-5});
  EXPECT_CLOSE(tagger(x).array(), y, {.atol = 0, .rtol = 0});
  auto merged = copy.copy(CopyMode::copy);
  for (Parameter& p : dynamic_cast<L::TransformerEncoder&>(merged.features.model()).params())
    p.set_array(p.array() * 0);
  EXPECT_CLOSE(copy(x).array(), z, {.atol = 1e-5});
}

TEST(adaptations_do_not_depend_on_threads_or_sizes) {
  const int before = cpu::thread_count();
  std::vector<Array> results;
  for (const int threads : {1, 8}) {
    cpu::set_thread_count(threads);
    Tagger tagger(encoder());
    (void)train(tagger, 3);
    results.push_back(tagger(ones({1000, 2, 8})).array());
  }
  cpu::set_thread_count(before);
  EXPECT_CLOSE(results[0], results[1], {.atol = 0, .rtol = 0});
}

TEST(hooks_on_parameters_in_static_graphs) {
  for (const bool spectral : {false, true}) {
    const auto losses = [&](bool fixed) {
      Tagger model(encoder());
      if (spectral) model.head.add_hook(made<SpectralNormalization>());
      random::seed(8);
      auto optimizer = optimizers::Adam({.alpha = 0.02}).setup(model);
      const Array t = array({0, 1, 0, 1, 0, 1});
      const auto f = [&](const Variable& x) { return F::softmax_cross_entropy(model(x), t); };
      auto chain = static_graph(f, model);
      std::vector<double> out;
      for (int i = 0; i < 8; ++i) {
        const Variable x(random::normal(0, 1, {6, 3, 8}, float32), false);
        const Variable loss = fixed ? chain(x) : f(x);
        model.cleargrads();
        loss.backward();
        optimizer.update();
        out.push_back(loss.item<double>());
      }
      return out;
    };
    EXPECT(losses(true) == losses(false));
  }
}

TEST(prepared_networks_with_hooks_on_parameters) {
  Tagger model(encoder());
  model.head.add_hook(made<SpectralNormalization>());
  (void)train(model, 5);
  const UsingConfig test(&Config::train, false);
  const Array x = random::normal(0, 1, {2, 3, 8}, float32), y = model(x).array();
  const auto prepared = inference::prepare(model, {Variable(x, false)});
  EXPECT_CLOSE(prepared(Arrays{x})[0], y, {.atol = 1e-5});
  EXPECT_CLOSE(model(x).array(), y, {.atol = 0, .rtol = 0});
}

namespace {

struct OneLinear : Chain {
  L::Linear l{3, 2};
  CHAINER_MEMBERS(OneLinear, l);
  Variable forward(const Variable& x) { return l(x); }
};

}  // namespace

TEST(adaptations_with_dropout) {
  const auto model = encoder();
  const Array x = random::normal(0, 1, {2, 3, 8}, float32);
  L::LowRankAdaptation adapted(model, {.rank = 2, .alpha = 4, .dropout = 0.5});
  for (Parameter& p : adapted.params()) p.set_array(random::normal(0, 0.3, p.shape(), float32));
  const Array first = adapted(x).array(), second = adapted(x).array();
  EXPECT(any(first != second).item<bool>());
  const UsingConfig test_mode(&Config::train, false);
  const Array expected = adapted(x).array();
  EXPECT_CLOSE(adapted(x).array(), expected, {.atol = 0, .rtol = 0});
  adapted.merge();
  EXPECT_CLOSE(adapted(x).array(), expected, {.atol = 1e-5});
}

TEST(dropout_of_an_adaptation_is_that_of_its_input) {
  // The expectation over masks is the result without dropout, and the gradients are those of the formula.
  auto holder = std::make_shared<OneLinear>();
  L::LowRankAdaptation adapted(holder, {.rank = 1, .links = {"l"}, .dropout = 0.5});
  const Array up = array({{1.f}, {2.f}}), down = array({{1.f, 10.f, 100.f}});
  holder->l.W.set_array(zeros({2, 3}));
  for (const auto& [path, p] : adapted.namedparams()) Parameter(p).set_array(path == "/l/up" ? up : down);
  random::seed(1);
  Array sum = zeros({2});
  for (int i = 0; i < 2000; ++i) {
    adapted.cleargrads();
    const Variable y = adapted(ones({1, 3}));
    const int code = static_cast<int>(std::lround(y.array()[{0, 0}].item<float>())) / 2;  // kept inputs are doubled
    EXPECT(code % 10 <= 1 && code / 10 % 10 <= 1 && code / 100 <= 1);
    EXPECT_CLOSE(y.array()[{0, 1}] * 0.5, y.array()[{0, 0}], {.atol = 1e-3});
    sum += y.array()[0];
    if (i > 0) continue;
    F::sum(y).backward();
    for (const auto& [path, p] : adapted.namedparams())
      if (path == "/l/down")
        EXPECT_CLOSE(p.grad(),
                     array({{6.f * static_cast<float>(code % 10), 6.f * static_cast<float>(code / 10 % 10),
                             6.f * static_cast<float>(code / 100)}}),
                     {.atol = 1e-5});
  }
  EXPECT_CLOSE(sum / 2000, array({111.f, 222.f}), {.rtol = 0.1});
}

TEST(adaptation_errors) {
  EXPECT_THROW(ValueError, "the rank must be positive, not 0",
               (L::LowRankAdaptation{Kept<Link>(encoder()), {.rank = 0}}));
  EXPECT_THROW(ValueError, "no link of the TransformerEncoder is named 'keys'",
               (L::LowRankAdaptation{Kept<Link>(encoder()), {.links = {"keys"}}}));
  EXPECT_THROW(ValueError, "dropout must be in [0, 1), not 1",
               (L::LowRankAdaptation{Kept<Link>(encoder()), {.dropout = 1}}));
  EXPECT_THROW(ValueError, "with dropout /0 must be a Linear, not of class EmbedID",
               (L::LowRankAdaptation{Kept<Link>(std::make_shared<Sequential>(L::EmbedID(3, 2))),
                                     {.links = {"0"}, .dropout = 0.5}}));
  EXPECT_THROW(ValueError, "has no size yet",
               (L::LowRankAdaptation{Kept<Link>(std::make_shared<Sequential>(L::Linear(3))), {.links = {"0"}}}));
}

namespace {
struct ThrowsAfterwards : LinkHook {
  std::string name() const override { return "ThrowsAfterwards"; }
  void forward_postprocess(const LinkHookArgs&) override { throw RuntimeError("afterwards"); }
};
}  // namespace

TEST(hooks_that_replace_one_weight_restore_it_in_turn) {
  for (const bool spectral_first : {false, true}) {
    random::seed(3);
    L::Linear link(4, 3);
    const Array w = link.W.array().copy(), x = random::normal(0, 1, {2, 4}, float32);
    if (spectral_first) link.add_hook(made<SpectralNormalization>());
    link.add_hook(made<WeightStandardization>());
    if (!spectral_first) link.add_hook(made<SpectralNormalization>());
    auto optimizer = optimizers::SGD({.lr = 1}).setup(link);
    for (int call = 0; call < 3; ++call) (void)link(x);
    EXPECT(!link.W.variable().creator() && link.W.update_rule());
    EXPECT_CLOSE(link.W.array(), w, {.atol = 0, .rtol = 0});
    optimizer.update([&] { return F::sum(F::square(link(x))); });
    EXPECT(max(abs(link.W.array() - w)).item<float>() > 0);
  }
}

TEST(a_weight_is_restored_after_an_exception_of_another_hook) {
  for (const bool first : {false, true}) {
    L::Linear link(4, 3);
    const Array w = link.W.array().copy();
    if (first) link.add_hook(made<ThrowsAfterwards>());
    link.add_hook(made<WeightStandardization>());
    if (!first) link.add_hook(made<ThrowsAfterwards>());
    EXPECT_THROW(RuntimeError, "afterwards", (void)link(ones({2, 4})));
    EXPECT_CLOSE(link.W.array(), w, {.atol = 0, .rtol = 0});
  }
}

TEST(forgotten_calls_repeat_the_vectors_of_spectral_normalization) {
  random::seed(4);
  L::Linear link(6, 5);
  link.add_hook(made<SpectralNormalization>());
  const Array u = link.persistent("W_u").copy(), x = random::normal(0, 1, {3, 6}, float32);
  const auto gradients = [&](bool forget) {
    link.persistent("W_u") = u.copy();
    const Variable in(x);
    link.cleargrads();
    const auto call = [&](const Variable& v) {
      return forget ? F::forget([&](const Variable& a) { return link(a); }, v) : link(v);
    };
    const Variable first = call(in), second = call(in * in);  // the gradients follow after both calls
    F::sum(F::square(first) + second).backward();
    return std::pair(link.W.grad(), in.grad());
  };
  const auto [W, at] = gradients(false);
  const auto [W_again, at_again] = gradients(true);
  EXPECT_CLOSE(W_again, W, {.atol = 1e-6, .rtol = 1e-5});
  EXPECT_CLOSE(at_again, at, {.atol = 1e-6, .rtol = 1e-5});
}

TEST(scores_of_an_embedding_use_its_hooks) {
  random::seed(5);
  L::EmbedID words(6, 4);
  words.add_hook(made<WeightStandardization>());
  const Array x = random::normal(0, 1, {3, 4}, float32);
  const Array rows = words(arange(6).astype(int32)).array();  // the replaced weight
  EXPECT_CLOSE(words.scores(x).array(), matmul(x, rows.T()), {.atol = 1e-5});
}

TEST(low_rank_refuses_a_weight_that_hooks_replace) {
  L::Linear link(4, 3);
  link.add_hook(made<WeightStandardization>());
  L::LowRank adapted(std::move(link), 2);
  EXPECT_THROW(RuntimeError, "the hook 'WeightStandardization' of `linear` computes with the weight",
               (void)adapted(ones({2, 4})));
  adapted.linear.delete_hook("WeightStandardization");
  (void)adapted(ones({2, 4}));
}
