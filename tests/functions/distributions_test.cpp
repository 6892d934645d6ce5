// SPDX-License-Identifier: MIT
// Distributions: samples, their gradients and moments, user-defined divergences, errors.
#include <chainer/chainer.h>

#include <cmath>
#include <memory>

#include "test.h"

using namespace chainer;

namespace {

const serializers::NpzFile& release() {
  static const serializers::NpzFile f(TEST_DATA "../conformance/training.npz");
  return f;
}

// A user-defined distribution.
struct Certain : Distribution {
  Variable at;
  explicit Certain(Variable v) : at(std::move(v)) {}
  Shape batch_shape() const override { return at.shape(); }
  std::map<std::string, Variable> params() const override { return {{"at", at}}; }
  Variable sample_n(int64_t n) const override { return F::tile(F::expand_dims(at, 0), {n}); }
  Variable log_prob(const Variable& x) const override { return x * 0; }
};

}  // namespace

TEST(samples_equal_the_releases) {
  const Array a = release().array("sample/a"), b = release().array("sample/b"), p = release().array("sample/p");
  const auto check = [&](const std::string& name, const Distribution& d) {
    random::seed(7);
    const Variable x = d.sample({4, 2});
    EXPECT_CLOSE(x.array(), release().array("sample/" + name), {.atol = 1e-6, .rtol = 1e-6});
    EXPECT_EQ(x.dtype(), release().array("sample/" + name).dtype());
  };
  check("Bernoulli", D::Bernoulli(p));
  check("Beta", D::Beta(a, b));
  check("Categorical", D::Categorical(p));
  check("Dirichlet", D::Dirichlet(a));
  check("Laplace", D::Laplace(a, b));
  check("LogNormal", D::LogNormal(a, b));
  check("Normal", D::Normal(a, b));
  check("Uniform", D::Uniform({.loc = a, .scale = b}));
  const Array tril = release().array("sample/tril");
  const D::MultivariateNormal d(a, {.scale_tril = tril});
  check("MultivariateNormal", d);
  EXPECT_CLOSE(d.log_prob(b).array(), release().array("multivariate/log_prob"), {.atol = 1e-4});
  EXPECT_CLOSE(d.entropy().array(), release().array("multivariate/entropy"), {.atol = 1e-5});
  const D::MultivariateNormal other(b, {.scale_tril = tril * 2});
  EXPECT_CLOSE(kl_divergence(d, other).array(), release().array("multivariate/kl"), {.atol = 1e-5});
}

TEST(samples_have_the_moments_of_their_distribution) {
  random::seed(0);
  const Array a = array({0.5, 1.0, 3.0}), b = array({2.0, 0.7, 1.5});
  const auto check = [&](const Distribution& d) {
    const Array x = d.sample({20000}).array().astype(float64);
    const Array m = d.mean().array(), v = d.variance().array();
    EXPECT_EQ(x.shape()[0], 20000);
    EXPECT_CLOSE(mean(x, 0), m, {.atol = 0.1, .rtol = 0.05});
    EXPECT_CLOSE(var(x, 0), v, {.atol = 0.1, .rtol = 0.1});
  };
  check(D::Normal(a, b));
  check(D::Laplace(a, b));
  check(D::LogNormal(a, array({0.3, 0.5, 0.2})));
  check(D::Uniform({.low = a, .high = a + b}));
  check(D::Beta(a, b));
  check(D::Dirichlet(a));
  check(D::Bernoulli(array({0.2, 0.5, 0.9})));
  check(D::MultivariateNormal(a, {.scale_tril = array({{1., 0., 0.}, {0.5, 1., 0.}, {0.2, 0.1, 2.}})}));
  const Array draws = D::Categorical(array({0.2, 0.5, 0.3})).sample({20000}).array();
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_CLOSE(mean(equal(draws, i)), array(std::vector<double>{0.2, 0.5, 0.3})[i], {.atol = 0.02});
}

// The gradient of a sample with respect to loc is 1, with respect to scale the noise.
TEST(samples_have_gradients) {
  random::seed(1);
  Variable loc(array({1.0, 2.0})), scale(array({0.5, 3.0}));
  const auto check = [&](const Distribution& d) {
    loc.cleargrad(), scale.cleargrad();
    const Variable x = d.sample({5});
    F::sum(x).backward();
    EXPECT_CLOSE(loc.grad(), array({5.0, 5.0}), {});
    EXPECT_CLOSE(scale.grad(), sum((x.array() - loc.array()) / scale.array(), 0), {.atol = 1e-12});
  };
  check(D::Normal(loc, scale));
  check(D::Laplace(loc, scale));
  check(D::Uniform({.loc = loc, .scale = scale}));
  const Variable tril(array({{1.0, 0.0}, {0.5, 2.0}}));
  F::sum(D::MultivariateNormal(loc, {.scale_tril = tril}).sample({3})).backward();
  EXPECT(static_cast<bool>(tril.grad()));
}

TEST(shapes_are_sample_batch_event) {
  const D::MultivariateNormal d(zeros({4, 3, 2}), {.scale_tril = eye(2)});
  EXPECT_EQ(d.batch_shape(), Shape({4, 3}));
  EXPECT_EQ(d.event_shape(), Shape({2}));
  const Variable x = d.sample({6, 5});
  EXPECT_EQ(x.shape(), Shape({6, 5, 4, 3, 2}));
  EXPECT_EQ(d.log_prob(x).shape(), Shape({6, 5, 4, 3}));
  EXPECT_EQ(D::Normal(zeros({2}), ones({2})).sample().shape(), Shape({2}));
  EXPECT_EQ(D::Categorical(ones({2, 4}) / 4.).sample({3}).shape(), Shape({3, 2}));
  EXPECT_EQ(D::Normal(zeros({0}), ones({0})).sample({3}).shape(), Shape({3, 0}));
}

TEST(divergences_of_the_users_own) {
  const D::Normal n(array({0.0}), array({1.0}));
  const Certain c(array({2.0}));
  EXPECT_THROW(NotImplementedError, "no formula for Certain and Normal", kl_divergence(c, n));
  register_kl<Certain, D::Normal>([](const Certain& p, const D::Normal& q) { return -q.log_prob(p.at); });
  EXPECT_CLOSE(kl_divergence(c, n).array(), array({2.0 + 0.918938533204672}), {.atol = 1e-12});
  EXPECT_CLOSE(cross_entropy(n, n).array(), n.entropy().array(), {.atol = 1e-12});
  EXPECT_THROW(NotImplementedError, "Certain: cdf is not defined", c.cdf(array({1.0})));
  EXPECT_THROW(NotImplementedError, "Certain: entropy is not defined", cross_entropy(c, n));
  EXPECT_CLOSE(c.prob(array({1.0})).array(), array({1.0}), {});
}

// Points of any sample shape, for every distribution.
TEST(functions_of_samples) {
  const Array a = array({0.5, 1.0, 3.0}), tril = array({{1., 0., 0.}, {0.5, 1., 0.}, {0.2, 0.1, 2.}});
  const auto check = [](const Distribution& d) {
    const Variable x = d.sample({4, 2});
    Shape expected = {4, 2};
    for (int64_t n : d.batch_shape()) expected.push_back(n);
    EXPECT_EQ(d.log_prob(x).shape(), expected);
    EXPECT_CLOSE(d.prob(x).array(), exp(d.log_prob(x).array()), {.atol = 1e-12});
  };
  check(D::Bernoulli(array({0.2, 0.5, 0.9})));
  check(D::Bernoulli({.logit = array({0.2, double(INFINITY), -1.0}), .binary_check = true}));
  check(D::Beta(a, a));
  check(D::Categorical(array({{0.2, 0.8}, {0.5, 0.5}})));
  check(D::Dirichlet(a));
  check(D::Laplace(a, a));
  check(D::LogNormal(a, a));
  check(D::MultivariateNormal(a, {.scale_tril = tril}));
  check(D::Normal(a, a));
  check(D::Uniform({.low = a, .high = a + 1}));
}

// Methods that the reference release lacks, compared with those that it has.
TEST(cdfs_and_moments_fit_together) {
  const Array p = array({0.1, 0.5, 0.8}), x = array({0.4, 1.0, 2.5});
  const auto inverse = [&](const Distribution& d) {
    const Array at = d.icdf(p).array().copy();  // throws if there is no inverse
    EXPECT_CLOSE(d.cdf(at).array(), p, {.atol = 1e-12});
  };
  const D::LogNormal log_normal(array({0.3}), array({0.7}));
  const D::Laplace laplace(array({0.3}), array({0.7}));
  const D::Normal normal(array({0.3}), array({0.7}));
  try {
    inverse(log_normal), inverse(normal);
  } catch (const MissingPartError& e) { std::fprintf(stderr, "left out: %s\n", e.what()); }
  inverse(laplace);
  EXPECT_CLOSE(log_normal.cdf(x).array(), normal.cdf(F::log(x)).array(), {.atol = 1e-12});
  EXPECT_CLOSE(log_normal.mode().array(), array({std::exp(0.3 - 0.49)}), {.atol = 1e-12});
  EXPECT_CLOSE(laplace.survival_function(x).array(), 1.0 - laplace.cdf(x).array(), {.atol = 1e-12});
  EXPECT_CLOSE(laplace.log_cdf(x).array(), log(laplace.cdf(x).array()), {.atol = 1e-12});
  EXPECT_CLOSE(normal.covariance().array(), normal.variance().array(), {.atol = 0});
  EXPECT_CLOSE(normal.perplexity().array(), exp(normal.entropy().array()), {.atol = 0});
  const D::Bernoulli coin(array({0.25}));
  EXPECT_CLOSE(coin.cdf(array({-1.0, 0.0, 0.5, 1.0})).array(), array({0.0, 0.75, 0.75, 1.0}), {.atol = 1e-12});
  EXPECT_CLOSE(coin.prob(array({0, 1})).array(), array({0.75, 0.25}), {.atol = 1e-12});
  EXPECT_CLOSE(coin.mode().array(), array({0.0}), {.atol = 0});
  EXPECT_CLOSE(D::Beta(array({3.0}), array({2.0})).mode().array(), array({2.0 / 3}), {.atol = 1e-12});
  const D::Dirichlet dirichlet(array({1.0, 2.0, 4.0}));
  const Variable covariance = dirichlet.covariance();
  EXPECT_CLOSE(F::diagonal(covariance).array(), dirichlet.variance().array(), {.atol = 1e-12});
  EXPECT_CLOSE(F::sum(covariance, 0).array(), zeros({3}, float64), {.atol = 1e-12});
  const D::MultivariateNormal vectors(zeros({2}, float64), {.scale_tril = array({{1.0, 0.0}, {0.5, 2.0}})});
  EXPECT_CLOSE(vectors.covariance().array(), array({{1.0, 0.5}, {0.5, 4.25}}), {.atol = 1e-12});
  EXPECT_CLOSE(vectors.variance().array(), array({1.0, 4.25}), {.atol = 1e-12});
}

TEST(certain_and_impossible_values) {
  const double inf = INFINITY;
  const D::Bernoulli sure({.logit = array({inf, -inf, 0.0})});
  EXPECT_CLOSE(sure.log_prob(array({1, 0, 1})).array(), array({0.0, 0.0, std::log(0.5)}), {.atol = 1e-12});
  EXPECT(sure.log_prob(array({0, 0, 0})).array()[0].item<double>() == -inf);
  const D::Bernoulli checked({.p = array({0.5}), .binary_check = true});
  EXPECT(checked.log_prob(array({0.5})).item<double>() == -inf && checked.prob(array({2.0})).item<double>() == 0);
  EXPECT_CLOSE(D::Bernoulli(array({0.0, 1.0})).entropy().array(), array({0.0, 0.0}), {});
  const D::Beta beta(array({2.0}), array({2.0}));
  EXPECT(beta.log_prob(array({-0.5})).item<double>() == -inf && beta.prob(array({1.5})).item<double>() == 0);
  EXPECT(std::isnan(D::Beta(array({0.5}), array({2.0})).mode().item<double>()));
}

TEST(distributions_say_what_is_wrong) {
  const Array one = array({1.0});
  EXPECT_THROW(ValueError, "either p or logit", D::Bernoulli(D::BernoulliOptions{}));
  EXPECT_THROW(ValueError, "either p or logit", D::Categorical({.p = one, .logit = one}));
  EXPECT_THROW(ValueError, "either low and high or loc and scale", D::Uniform({.low = one}));
  EXPECT_THROW(ValueError, "'scale' is missing", D::Normal(one, Variable()));
  EXPECT_THROW(ValueError, "'scale_tril' is missing", D::MultivariateNormal(one, {}));
  EXPECT_THROW(TypeError, "'scale' has float32, 'loc' float64", D::Laplace(one, array({1.f})));
  EXPECT_THROW(TypeError, "'loc' has int64", D::Normal(array({int64_t(1)}), array({int64_t(1)})));
  EXPECT_THROW(DimensionError, "Normal", D::Normal(zeros({3}), ones({2})));
  EXPECT_THROW(DimensionError, "and (..., d, d), got (3,) and (2, 2)",
               D::MultivariateNormal(zeros({3}), {.scale_tril = eye(2)}));
  EXPECT_THROW(IndexError, "outside 0 ... 1", D::Categorical(array({0.5, 0.5})).log_prob(array({2})));
  EXPECT_THROW(TypeError, "needs integers", D::Categorical(array({0.5, 0.5})).log_prob(array({0.5})));
  EXPECT_THROW(NotImplementedError, "Beta: cdf is not defined", D::Beta(one, one).cdf(one));
}

// Far out, where a probability rounds to 0 or 1, its logarithm and the gradients are still finite.
TEST(tails_of_distributions) {
  const Array at = array({-100.f, -20.f, 0.f, 20.f, 30.f, 100.f});
  const D::Laplace laplace(Variable(zeros({})), Variable(ones({})));
  EXPECT_CLOSE(laplace.log_survival_function(array({100.f})).array(), array({-100.693147f}));
  EXPECT_CLOSE(laplace.log_cdf(array({-100.f})).array(), array({-100.693147f}));
  const D::Normal normal(Variable(zeros({})), Variable(ones({})));
  const D::LogNormal log_normal(Variable(zeros({})), Variable(ones({})));
  const std::pair<const Distribution*, Array> cases[] = {{&laplace, at}, {&normal, at}, {&log_normal, exp(at / 20)}};
  for (const auto& [d, points] : cases) {
    using Method = Variable (Distribution::*)(const Variable&) const;
    for (Method m : {Method(&Distribution::log_cdf), Method(&Distribution::log_survival_function),
                     Method(&Distribution::cdf), Method(&Distribution::survival_function)}) {
      const Variable x(points), y = (d->*m)(x);
      const Variable g = grad({F::sum(y)}, {x}, {.enable_double_backprop = true})[0];
      const Variable gg = grad({F::sum(g)}, {x})[0];
      for (const Array& a : {y.array(), g.array(), gg.array()}) EXPECT(all(isfinite(a)).item<bool>());
    }
  }
  // At the corner both one-sided derivatives give the density.
  Variable zero(array({0.f}));
  laplace.cdf(zero).backward();
  EXPECT_CLOSE(zero.grad(), array({0.5f}));
}

TEST(bernoulli_prob_has_a_gradient_by_the_point) {
  const D::Bernoulli d(Variable(array({0.2, 0.7})));
  Variable x(array({1., 0.}));
  const Variable y = d.prob(x);
  F::sum(y).backward();
  EXPECT_CLOSE(y.array(), array({0.2, 0.3}));
  EXPECT_CLOSE(x.grad(), array({-0.6, 0.4}));
  EXPECT_CLOSE(d.prob(array({1, 1})).array(), array({0.2, 0.7}));
}

TEST(probabilities_of_zero_add_nothing_to_divergences) {
  namespace D = distributions;
  const auto categorical = [](const Array& p) { return D::Categorical({.p = Variable(p)}); };
  const D::Categorical c = categorical(array({0.f, 0.25f, 0.75f}));
  EXPECT_EQ(kl_divergence(c, c).array().item<float>(), 0.f);
  EXPECT_CLOSE(cross_entropy(c, c).array(), c.entropy().array(), {.atol = 1e-6});
  const float other = kl_divergence(c, categorical(array({0.5f, 0.25f, 0.25f}))).array().item<float>();
  EXPECT(std::abs(other - 0.75f * std::log(3.f)) < 1e-6f);
  EXPECT(std::isinf(kl_divergence(categorical(array({0.f, 0.5f, 0.5f})), categorical(array({0.5f, 0.5f, 0.f})))
                        .array()
                        .item<float>()));
  const Variable logit(array({-INFINITY, 1.f, 2.f}));
  const D::Categorical masked({.logit = logit});
  kl_divergence(masked, categorical(array({0.5f, 0.25f, 0.25f}))).backward();
  EXPECT(all(isfinite(logit.grad())).item<bool>());
  const D::Bernoulli certain({.p = Variable(array({0.f, 1.f}))});
  EXPECT_CLOSE(kl_divergence(certain, certain).array(), array({0.f, 0.f}), {});
}

TEST(densities_at_the_boundary) {
  namespace D = distributions;
  const auto beta = [](float a, float b) { return D::Beta(Variable(array({a})), Variable(array({b}))); };
  EXPECT_CLOSE(beta(1, 1).prob(array({0.f, 0.5f, 1.f})).array(), array({1.f, 1.f, 1.f}), {.atol = 1e-6});
  EXPECT_CLOSE(beta(1, 1).log_prob(array({0.f, 1.f})).array(), array({0.f, 0.f}), {.atol = 1e-6});
  EXPECT_CLOSE(beta(2, 1).log_prob(array({1.f})).array(), array({std::log(2.f)}), {.atol = 1e-6});
  const D::Dirichlet flat(Variable(ones({3})));
  EXPECT(std::abs(flat.log_prob(array({0.f, 0.5f, 0.5f})).array().item<float>() - std::log(2.f)) < 1e-6f);
}

TEST(gradients_where_a_weight_is_zero) {
  namespace D = distributions;
  const Variable p(array({0., 0.25, 0.75})), q(array({0., 0.5, 0.5})), r(array({0.2, 0.3, 0.5}));
  const D::Categorical of_p({.p = p});
  kl_divergence(of_p, D::Categorical({.p = q})).backward();
  EXPECT_CLOSE(p.grad(), array({0., std::log(0.5) + 1, std::log(1.5) + 1}), {.atol = 1e-12});
  EXPECT_CLOSE(q.grad(), array({0., -0.5, -1.5}), {.atol = 1e-12});
  kl_divergence(of_p, D::Categorical({.p = r})).backward();
  EXPECT_CLOSE(r.grad(), array({0., -0.25 / 0.3, -1.5}), {.atol = 1e-12});
  const Variable b(array({0., 1., 0.5}));
  const D::Bernoulli certain({.p = b});
  F::sum(kl_divergence(certain, certain)).backward();
  EXPECT_CLOSE(b.grad(), array({0., 0., 0.}), {.atol = 1e-12});
  const D::Categorical chosen({.p = Variable(array({0., 1.}))});
  EXPECT(std::isinf(chosen.log_prob(array({0})).array().item<double>()));
  // Densities of 0 have no slope with respect to exponents either.
  const Variable second(array({2.}));
  F::sum(D::Beta(Variable(array({1.})), second).prob(array({1.}))).backward();
  EXPECT_CLOSE(second.grad(), array({0.}), {.atol = 0});
  const Variable alpha(array({2., 1.}));
  D::Dirichlet(alpha).prob(array({0., 1.})).backward();
  EXPECT_CLOSE(alpha.grad(), array({0., 0.}), {.atol = 0});
  // Where a weight is 0, but not at the pole, second derivatives are those of the logarithm.
  const Variable flat(array({1.})), inside(array({0.3}));
  const Variable slope =
      grad({D::Beta(flat, Variable(array({2.}))).log_prob(inside)}, {inside}, {.enable_double_backprop = true})[0];
  slope.backward();
  EXPECT_CLOSE(flat.grad(), array({1 / 0.3}), {.atol = 1e-12});
  const Variable x(array({0., 1.}));
  const Variable one(array({1., 1.}));
  F::sum(D::Beta(one, one).log_prob(x)).backward();
  EXPECT_CLOSE(x.grad(), array({0., 0.}), {.atol = 1e-12});
  const Variable y(array({0., 0.4, 0.6}));
  D::Dirichlet(Variable(array({1., 2., 3.}))).log_prob(y).backward();
  EXPECT_CLOSE(y.grad(), array({0., 2.5, 2 / 0.6}), {.atol = 1e-12});
}
