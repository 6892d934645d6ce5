// SPDX-License-Identifier: MIT
// Methods of distributions as functions of their parameters and, as the last input, of a point.
#include <memory>

#include "table.h"

namespace table {
namespace {

using Make = std::function<std::unique_ptr<Distribution>(const Variables&)>;
using Method = std::function<Variable(const Distribution&, const Variable&)>;

// Adds the rows of one distribution.
struct Family {
  std::vector<OpCase>& t;
  std::string name, python;  // the release's constructor on x[0], ...; empty if it has none
  Make make;
  Arrays parameters;
  bool repeats = true;

  void add(const std::string& method, const std::string& call, const Method& f, const Array& point = {}) {
    Arrays in = parameters;
    if (point) in.push_back(point);
    OpCase c = row(
        name + "." + method, python.empty() || call.empty() ? "" : python + call,
        [make = make, f](const Variables& x) { return f(*make(x), x[x.size() - 1]); }, in);
    c.repeats = repeats;
    t.push_back(c);
  }
  void at(const std::string& method, Variable (Distribution::*f)(const Variable&) const, const Array& point,
          bool released = true) {
    const std::string x = text(".", method, "(x[", parameters.size(), "])");
    add(
        method, released ? x : "", [f](const Distribution& d, const Variable& v) { return (d.*f)(v); }, point);
  }
  void moment(const std::string& method, Variable (Distribution::*f)() const, bool released = true) {
    add(method, released ? "." + method : "", [f](const Distribution& d, const Variable&) { return (d.*f)(); });
  }
  void divergence(const Arrays& other, bool released = true) {
    Arrays in = parameters;
    for (const Array& a : other) in.push_back(a);
    const std::size_t n = parameters.size();
    std::string second = python;
    for (std::size_t i = n; i-- > 0;) {
      const std::string from = text("x[", i, "]"), to = text("x[", i + n, "]");
      for (std::size_t k = second.find(from); k != second.npos; k = second.find(from, k + to.size()))
        second.replace(k, from.size(), to);
    }
    OpCase c = row(
        name + ".kl_divergence",
        released && !python.empty() ? text("chainer.kl_divergence(", python, ", ", second, ")") : "",
        [make = make, n](const Variables& x) {
          return kl_divergence(*make(Variables(x.begin(), x.begin() + n)), *make(Variables(x.begin() + n, x.end())));
        },
        in);
    c.repeats = repeats;
    t.push_back(c);
  }
};

template <class T>
Make of_two() {
  return [](const Variables& x) { return std::make_unique<T>(x[0], x[1]); };
}
Array unit(const Shape& s) { return sigmoid(normal(s)); }

}  // namespace

void distributions(std::vector<OpCase>& t) {
  const Shape s = {3, 2};
  using B = Distribution;

  Family gauss{t, "Normal", "chainer.distributions.Normal(x[0], x[1])", of_two<D::Normal>(), {normal(s), positive(s)}};
  for (const Array& x : {normal(s), normal({4, 3, 2}) * 3}) gauss.at("log_prob", &B::log_prob, x);
  gauss.at("prob", &B::prob, normal(s));
  gauss.at("cdf", &B::cdf, normal(s));
  gauss.at("icdf", &B::icdf, unit(s));
  gauss.at("log_cdf", &B::log_cdf, normal(s) * 4);
  gauss.at("survival_function", &B::survival_function, normal(s));
  gauss.at("log_survival_function", &B::log_survival_function, normal(s));
  gauss.moment("entropy", &B::entropy);
  gauss.moment("mean", &B::mean);
  gauss.moment("mode", &B::mode, false);
  gauss.moment("variance", &B::variance);
  gauss.moment("stddev", &B::stddev);
  gauss.moment("covariance", &B::covariance, false);
  gauss.add("perplexity", "", [](const B& d, const Variable&) { return d.perplexity(); });
  gauss.divergence({normal(s), positive(s)});
  Family logs{t,
              "Normal",
              "chainer.distributions.Normal(x[0], log_scale=x[1])",
              [](const Variables& x) { return std::make_unique<D::Normal>(x[0], D::NormalOptions{x[1]}); },
              {normal(s), normal(s)}};
  logs.at("log_prob", &B::log_prob, normal(s));
  logs.moment("entropy", &B::entropy);
  Family wide{t, "Normal", "", of_two<D::Normal>(), {normal({3, 1}), positive({2})}};  // parameters broadcast
  wide.at("log_prob", &B::log_prob, normal(s));

  Family laplace{
      t, "Laplace", "chainer.distributions.Laplace(x[0], x[1])", of_two<D::Laplace>(), {normal(s), positive(s)}};
  laplace.at("log_prob", &B::log_prob, normal(s));
  laplace.at("prob", &B::prob, normal({4, 3, 2}));
  laplace.at("cdf", &B::cdf, normal({4, 3, 2}));
  laplace.at("icdf", &B::icdf, unit({4, 3, 2}));
  laplace.at("survival_function", &B::survival_function, normal(s), false);
  laplace.at("log_cdf", &B::log_cdf, normal(s), false);
  laplace.moment("entropy", &B::entropy);
  laplace.moment("mean", &B::mean);
  laplace.moment("mode", &B::mode);
  laplace.moment("variance", &B::variance);
  laplace.moment("stddev", &B::stddev);
  laplace.divergence({normal(s), positive(s)});

  Family log_normal{
      t, "LogNormal", "chainer.distributions.LogNormal(x[0], x[1])", of_two<D::LogNormal>(), {normal(s), positive(s)}};
  log_normal.at("log_prob", &B::log_prob, positive({4, 3, 2}));
  log_normal.at("cdf", &B::cdf, positive(s), false);
  log_normal.at("icdf", &B::icdf, unit(s), false);
  log_normal.moment("entropy", &B::entropy);
  log_normal.moment("mean", &B::mean);
  log_normal.moment("mode", &B::mode, false);
  log_normal.moment("variance", &B::variance);
  log_normal.divergence({normal(s), positive(s)});

  Family uniform{
      t,
      "Uniform",
      "chainer.distributions.Uniform(low=x[0], high=x[1])",
      [](const Variables& x) { return std::make_unique<D::Uniform>(D::UniformOptions{.low = x[0], .high = x[1]}); },
      {-positive(s), positive(s)}};
  const Array inside = tanh(normal({4, 3, 2})) * 0.25;
  uniform.at("log_prob", &B::log_prob, normal({4, 3, 2}) * 2);
  t.back().differentiable = false;  // infinite outside
  uniform.at("log_prob", &B::log_prob, inside);
  uniform.at("cdf", &B::cdf, inside);
  uniform.at("icdf", &B::icdf, unit(s));
  uniform.moment("entropy", &B::entropy);
  uniform.moment("mean", &B::mean);
  uniform.moment("variance", &B::variance);
  uniform.moment("stddev", &B::stddev);
  uniform.divergence({-positive(s) - 2, positive(s) + 2});
  uniform.divergence({positive(s), positive(s) + 2});
  t.back().differentiable = false;  // infinite
  Family placed{
      t,
      "Uniform",
      "chainer.distributions.Uniform(loc=x[0], scale=x[1])",
      [](const Variables& x) { return std::make_unique<D::Uniform>(D::UniformOptions{.loc = x[0], .scale = x[1]}); },
      {normal(s), positive(s)}};
  placed.at("cdf", &B::cdf, normal({4, 3, 2}));
  placed.moment("mean", &B::mean);

  Family beta{
      t, "Beta", "chainer.distributions.Beta(x[0], x[1])", of_two<D::Beta>(), {positive(s) + 1, positive(s) + 1}};
  beta.at("log_prob", &B::log_prob, unit({4, 3, 2}));
  beta.at("prob", &B::prob, unit(s), false);
  beta.moment("entropy", &B::entropy);
  beta.moment("mean", &B::mean);
  beta.moment("mode", &B::mode, false);
  beta.moment("variance", &B::variance);
  beta.divergence({positive(s), positive(s)});

  Family dirichlet{t,
                   "Dirichlet",
                   "chainer.distributions.Dirichlet(x[0])",
                   [](const Variables& x) { return std::make_unique<D::Dirichlet>(x[0]); },
                   {positive({2, 3})}};
  const Array simplex = positive({4, 2, 3});
  dirichlet.at("log_prob", &B::log_prob, simplex / sum(simplex, -1, true));
  dirichlet.moment("entropy", &B::entropy);
  dirichlet.moment("mean", &B::mean);
  dirichlet.moment("variance", &B::variance);
  dirichlet.moment("covariance", &B::covariance, false);
  dirichlet.divergence({positive({2, 3})});

  Family bernoulli{t,
                   "Bernoulli",
                   "chainer.distributions.Bernoulli(x[0])",
                   [](const Variables& x) { return std::make_unique<D::Bernoulli>(x[0]); },
                   {unit(s)}};
  const Array bits = array({{0, 1}, {1, 1}, {0, 0}});
  bernoulli.at("prob", &B::prob, bits, false);
  bernoulli.add(
      "log_prob", ".log_prob(x[1].array.astype('d'))", [](const B& d, const Variable& x) { return d.log_prob(x); },
      bits);
  bernoulli.at("cdf", &B::cdf, bits, false);
  bernoulli.moment("entropy", &B::entropy);
  bernoulli.moment("mean", &B::mean);
  bernoulli.moment("variance", &B::variance);
  bernoulli.moment("stddev", &B::stddev);
  bernoulli.divergence({unit(s)});
  Family logit{t,
               "Bernoulli",
               "chainer.distributions.Bernoulli(logit=x[0])",
               [](const Variables& x) { return std::make_unique<D::Bernoulli>(D::BernoulliOptions{.logit = x[0]}); },
               {normal(s) * 3}};
  logit.add(
      "log_prob", ".log_prob(x[1].array.astype('d'))", [](const B& d, const Variable& x) { return d.log_prob(x); },
      bits);
  logit.divergence({normal(s)});

  const Array weights = positive({2, 3});
  Family categorical{t,
                     "Categorical",
                     "chainer.distributions.Categorical(x[0])",
                     [](const Variables& x) { return std::make_unique<D::Categorical>(x[0]); },
                     {weights / sum(weights, -1, true)}};
  categorical.add(
      "log_prob", ".log_prob(x[1].array)", [](const B& d, const Variable& x) { return d.log_prob(x); }, array({2, 0}));
  categorical.add(
      "log_prob", "", [](const B& d, const Variable& x) { return d.log_prob(x); }, array({{2, 0}, {1, 1}, {0, 2}}));
  categorical.moment("entropy", &B::entropy);
  categorical.divergence({weights * 0 + 1. / 3});
  Family logits{
      t,
      "Categorical",
      "chainer.distributions.Categorical(logit=x[0])",
      [](const Variables& x) { return std::make_unique<D::Categorical>(D::CategoricalOptions{.logit = x[0]}); },
      {normal({3})}};
  logits.moment("entropy", &B::entropy);

  const Array lower = array({{1., 0., 0.}, {1., 1., 0.}, {1., 1., 1.}});
  const auto triangle = [&](const Shape& shape) { return normal(shape) * lower * 0.3 + eye(3, {}, 0, float64); };
  // The release accepts float32 only; make_training.py compares with it.
  Family vectors{t,
                 "MultivariateNormal",
                 "",
                 [](const Variables& x) {
                   return std::make_unique<D::MultivariateNormal>(x[0], D::MultivariateNormalOptions{x[1]});
                 },
                 {normal({2, 3}), triangle({2, 3, 3})}};
  vectors.repeats = false;
  vectors.at("log_prob", &B::log_prob, normal({4, 2, 3}));
  vectors.at("log_prob", &B::log_prob, normal({2, 3}));
  t.back().reference = [](const Arrays& x) {
    const Array v = matmul(x[1], swapaxes(x[1], -1, -2)), d = (x[2] - x[0]).reshape({2, 3, 1});
    const Array q = matmul(matmul(swapaxes(d, -1, -2), inv(v)), d).reshape({2});
    return Arrays{(q + log(det(v * (2 * 3.14159265358979323846)))) * -0.5};
  };
  vectors.moment("entropy", &B::entropy);
  vectors.moment("variance", &B::variance);
  vectors.moment("covariance", &B::covariance);
  vectors.divergence({normal({2, 3}), triangle({2, 3, 3})});
}

}  // namespace table
