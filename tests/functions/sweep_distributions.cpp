// SPDX-License-Identifier: MIT
// Methods of distributions as functions of each argument.
#include <map>

#include "sweep.h"

namespace sweep {
namespace {

using Arguments = std::map<std::string, Variable>;
using Method = std::function<Variable(Arguments& a)>;

// The other arguments have values that float32 represents exactly, as in make_sweep.py.
struct Family {
  std::vector<Case>& cases;
  std::string name;
  std::map<std::string, double> values;

  void add(const std::string& method, const std::vector<std::string>& arguments, const Method& f) {
    for (const std::string& by : arguments)
      cases.push_back({name + "." + method + " by " + by, [values = values, by, f](const Variable& x) {
                         Arguments a;
                         for (const auto& [argument, value] : values) a[argument] = constant(value, x);
                         a[by] = x;
                         return f(a);
                       }});
  }
};

using B = Distribution;
using Maker = std::function<std::shared_ptr<Distribution>(Arguments&)>;

// The methods that are functions of a point, and those of the distribution only.
void at_point(Family& f, const Maker& make, std::vector<std::string> arguments,
              std::initializer_list<std::pair<const char*, Variable (B::*)(const Variable&) const>> methods) {
  arguments.insert(arguments.begin(), "x");
  for (const auto& [name, method] : methods)
    f.add(name, arguments, [=, method = method](Arguments& a) { return ((*make(a)).*method)(a["x"]); });
}
void moments(Family& f, const Maker& make, const std::vector<std::string>& arguments,
             std::initializer_list<std::pair<const char*, Variable (B::*)() const>> methods) {
  for (const auto& [name, method] : methods)
    f.add(name, arguments, [=, method = method](Arguments& a) { return ((*make(a)).*method)(); });
}
Method perplexity(const Maker& make) {
  return [=](Arguments& a) { return make(a)->perplexity(); };
}
Method inverse(const Maker& make) {
  return [=](Arguments& a) { return make(a)->icdf(a["p"]); };
}
Method divergence(const Maker& p, const Maker& q) {
  return [=](Arguments& a) { return kl_divergence(*p(a), *q(a)); };
}

template <class T>
Maker of_two(const char* first, const char* second) {
  return [=](Arguments& a) { return std::make_shared<T>(a[first], a[second]); };
}
const std::initializer_list<std::pair<const char*, Variable (B::*)(const Variable&) const>> kAll = {
    {"log_prob", &B::log_prob},
    {"prob", &B::prob},
    {"cdf", &B::cdf},
    {"log_cdf", &B::log_cdf},
    {"survival_function", &B::survival_function},
    {"log_survival_function", &B::log_survival_function}};

void add_real(std::vector<Case>& c) {
  const std::map<std::string, double> values = {{"x", 0.75},    {"p", 0.75},    {"loc", 0.25},
                                                {"scale", 1.5}, {"loc2", -0.5}, {"scale2", 0.75}};
  const std::vector<std::string> both = {"loc", "scale"}, four = {"loc", "scale", "loc2", "scale2"};
  const auto family = [&](const char* name, const Maker& p, const Maker& q, bool has_covariance) {
    Family f{c, name, values};
    at_point(f, p, both, kAll);
    f.add("icdf", {"p", "loc", "scale"}, inverse(p));
    moments(f, p, {"scale"}, {{"entropy", &B::entropy}, {"variance", &B::variance}, {"stddev", &B::stddev}});
    if (has_covariance) moments(f, p, {"scale"}, {{"covariance", &B::covariance}});
    moments(f, p, {"loc"}, {{"mean", &B::mean}, {"mode", &B::mode}});
    f.add("perplexity", {"scale"}, perplexity(p));
    f.add("kl_divergence", four, divergence(p, q));
    f.add("cross_entropy", four, [=](Arguments& a) { return cross_entropy(*p(a), *q(a)); });
  };
  family("Normal", of_two<D::Normal>("loc", "scale"), of_two<D::Normal>("loc2", "scale2"), true);
  family("Laplace", of_two<D::Laplace>("loc", "scale"), of_two<D::Laplace>("loc2", "scale2"), false);

  Family f{
      c, "NormalByLogScale", {{"x", 0.75}, {"loc", 0.25}, {"log_scale", 0.5}, {"log_scale2", -0.25}, {"loc2", -0.5}}};
  const auto by_log = [](const char* loc, const char* log_scale) -> Maker {
    return
        [=](Arguments& a) { return std::make_shared<D::Normal>(a[loc], D::NormalOptions{.log_scale = a[log_scale]}); };
  };
  const Maker p = by_log("loc", "log_scale");
  at_point(f, p, {"loc", "log_scale"}, {{"log_prob", &B::log_prob}, {"prob", &B::prob}});
  at_point(f, p, {"log_scale"}, {{"cdf", &B::cdf}});
  f.add("log_cdf", {"log_scale"}, [=](Arguments& a) { return p(a)->log_cdf(a["x"]); });
  f.add("log_survival_function", {"log_scale"}, [=](Arguments& a) { return p(a)->log_survival_function(a["x"]); });
  moments(f, p, {"log_scale"}, {{"entropy", &B::entropy}, {"variance", &B::variance}, {"stddev", &B::stddev}});
  f.add("kl_divergence", {"log_scale", "log_scale2"}, divergence(p, [=](Arguments& a) {
          a["loc2"] = constant(1, a["loc"]);
          return by_log("loc2", "log_scale2")(a);
        }));
}

void add_positive(std::vector<Case>& c) {
  Family f{c, "LogNormal", {{"x", 0.75}, {"p", 0.75}, {"mu", 0.25}, {"sigma", 1.5}, {"mu2", -0.5}, {"sigma2", 0.75}}};
  const Maker p = of_two<D::LogNormal>("mu", "sigma"), q = of_two<D::LogNormal>("mu2", "sigma2");
  at_point(f, p, {"mu", "sigma"}, kAll);
  f.add("icdf", {"p", "mu", "sigma"}, inverse(p));
  moments(f, p, {"mu", "sigma"},
          {{"entropy", &B::entropy},
           {"mean", &B::mean},
           {"mode", &B::mode},
           {"variance", &B::variance},
           {"stddev", &B::stddev}});
  f.add("kl_divergence", {"mu", "sigma", "mu2", "sigma2"}, divergence(p, q));
}

void add_uniform(std::vector<Case>& c) {
  Family f{c, "Uniform", {{"x", 0.75}, {"p", 0.25}, {"low", -0.5}, {"high", 1.5}, {"low2", -5}, {"high2", 7}}};
  const auto between = [](const char* low, const char* high) -> Maker {
    return
        [=](Arguments& a) { return std::make_shared<D::Uniform>(D::UniformOptions{.low = a[low], .high = a[high]}); };
  };
  const Maker p = between("low", "high");
  at_point(f, p, {"low", "high"},
           {{"log_prob", &B::log_prob},
            {"prob", &B::prob},
            {"cdf", &B::cdf},
            {"log_cdf", &B::log_cdf},
            {"survival_function", &B::survival_function},
            {"log_survival_function", &B::log_survival_function}});
  f.add("icdf", {"p", "low", "high"}, inverse(p));
  moments(f, p, {"low", "high"},
          {{"entropy", &B::entropy}, {"mean", &B::mean}, {"variance", &B::variance}, {"stddev", &B::stddev}});
  f.add("kl_divergence", {"low", "high", "low2", "high2"}, divergence(p, between("low2", "high2")));

  Family s{c, "UniformByScale", {{"x", 0.75}, {"loc", -0.5}, {"scale", 2}}};
  const Maker by_scale = [](Arguments& a) {
    return std::make_shared<D::Uniform>(D::UniformOptions{.loc = a["loc"], .scale = a["scale"]});
  };
  at_point(s, by_scale, {"loc", "scale"}, {{"log_prob", &B::log_prob}, {"cdf", &B::cdf}});
  moments(s, by_scale, {"loc", "scale"}, {{"mean", &B::mean}});
  moments(s, by_scale, {"scale"}, {{"variance", &B::variance}, {"entropy", &B::entropy}});
}

void add_bernoulli(std::vector<Case>& c) {
  const std::map<std::string, double> values = {
      {"p", 0.75}, {"p2", 0.25}, {"logit", 0.75}, {"logit2", -0.5}, {"x", 0.75}};
  const auto family = [&](const char* name, const std::string& by, const std::function<Maker(std::string)>& maker) {
    Family f{c, name, values};
    const Maker p = maker(by);
    const auto at = [&](const char* method, double x, Variable (B::*m)(const Variable&) const) {
      f.add(text(method, "(", x, ")"), {by}, [=](Arguments& a) { return ((*p(a)).*m)(constant(x, a[by])); });
    };
    for (double x : {1, 0}) at("log_prob", x, &B::log_prob), at("prob", x, &B::prob);
    at("cdf", 0, &B::cdf), at("log_cdf", 0, &B::log_cdf);
    at("survival_function", 0, &B::survival_function), at("log_survival_function", 0, &B::log_survival_function);
    moments(f, p, {by},
            {{"mean", &B::mean}, {"variance", &B::variance}, {"stddev", &B::stddev}, {"entropy", &B::entropy}});
    f.add("perplexity", {by}, perplexity(p));
    f.add("kl_divergence", {by, by + "2"}, divergence(p, maker(by + "2")));
  };
  family("Bernoulli", "p",
         [](std::string p) -> Maker { return [=](Arguments& a) { return std::make_shared<D::Bernoulli>(a[p]); }; });
  family("BernoulliByLogit", "logit", [](std::string logit) -> Maker {
    return [=](Arguments& a) { return std::make_shared<D::Bernoulli>(D::BernoulliOptions{.logit = a[logit]}); };
  });
  Family f{c, "Bernoulli", values};
  const Maker p = [](Arguments& a) { return std::make_shared<D::Bernoulli>(a["p"]); };
  f.add("log_prob(x)", {"x", "p"}, [=](Arguments& a) { return p(a)->log_prob(a["x"]); });
  f.add("prob(x)", {"x", "p"}, [=](Arguments& a) { return p(a)->prob(a["x"]); });
}

void add_beta(std::vector<Case>& c) {
  const std::map<std::string, double> values = {{"x", 0.75}, {"a", 1.5}, {"b", 2.25}, {"a2", 0.75}, {"b2", 1.25}};
  const std::vector<std::string> both = {"a", "b"}, four = {"a", "b", "a2", "b2"};
  Family f{c, "Beta", values};
  const Maker p = of_two<D::Beta>("a", "b");
  at_point(f, p, both, {{"log_prob", &B::log_prob}, {"prob", &B::prob}});
  moments(f, p, both,
          {{"entropy", &B::entropy},
           {"mean", &B::mean},
           {"mode", &B::mode},
           {"variance", &B::variance},
           {"stddev", &B::stddev}});
  f.add("perplexity", both, perplexity(p));
  f.add("kl_divergence", four, divergence(p, of_two<D::Beta>("a2", "b2")));

  Family d{c, "Dirichlet", values};
  const auto two = [](const char* a, const char* b) -> Maker {
    return [=](Arguments& v) { return std::make_shared<D::Dirichlet>(columns({v[a], v[b]})); };
  };
  const Maker q = two("a", "b");
  d.add("log_prob", {"x", "a", "b"}, [=](Arguments& v) { return q(v)->log_prob(columns({v["x"], 1 - v["x"]})); });
  d.add("entropy", both, [=](Arguments& v) { return q(v)->entropy(); });
  d.add("mean", both, [=](Arguments& v) { return column(q(v)->mean(), 0); });
  d.add("variance", both, [=](Arguments& v) { return column(q(v)->variance(), 0); });
  d.add("covariance", both, [=](Arguments& v) { return q(v)->covariance()[{Slice(), 0, 1}]; });
  d.add("kl_divergence", four, divergence(q, two("a2", "b2")));
}

void add_categorical(std::vector<Case>& c) {
  const std::map<std::string, double> values = {{"p", 0.75}, {"p2", 0.25}, {"logit", 0.75}, {"logit2", -0.5}};
  Family f{c, "Categorical", values};
  const auto of = [](const char* p, double other) -> Maker {
    return [=](Arguments& a) { return std::make_shared<D::Categorical>(columns({a[p], constant(other, a[p])})); };
  };
  const Maker p = of("p", 0.25);
  const auto first = [](const Variable& x) { return zeros(x.shape(), int32); };
  f.add("log_prob", {"p"}, [=](Arguments& a) { return p(a)->log_prob(first(a["p"])); });
  f.add("prob", {"p"}, [=](Arguments& a) { return p(a)->prob(first(a["p"])); });
  f.add("entropy", {"p"}, [=](Arguments& a) { return p(a)->entropy(); });
  f.add("kl_divergence", {"p", "p2"}, divergence(p, of("p2", 0.5)));

  Family l{c, "CategoricalByLogit", values};
  const auto by_logit = [](const char* logit) -> Maker {
    return [=](Arguments& a) {
      return std::make_shared<D::Categorical>(
          D::CategoricalOptions{.logit = columns({a[logit], constant(0, a[logit])})});
    };
  };
  const Maker q = by_logit("logit");
  l.add("log_prob(1)", {"logit"}, [=](Arguments& a) { return q(a)->log_prob(ones(a["logit"].shape(), int32)); });
  l.add("prob(0)", {"logit"}, [=](Arguments& a) { return q(a)->prob(first(a["logit"])); });
  l.add("entropy", {"logit"}, [=](Arguments& a) { return q(a)->entropy(); });
  l.add("kl_divergence", {"logit", "logit2"}, divergence(q, by_logit("logit2")));
}

void add_multivariate(std::vector<Case>& c) {
  Family f{c,
           "MultivariateNormal",
           {{"x", 0.75}, {"loc", 0.25}, {"scale", 1.5}, {"tril", 0.5}, {"loc2", -0.5}, {"scale2", 0.75}, {"none", 0}}};
  const auto of = [](const char* loc, const char* scale, const char* tril) -> Maker {
    return [=](Arguments& a) {
      const Variable zero = constant(0, a[loc]);
      const Variable L = columns({a[scale], zero, a[tril], constant(1.25, zero)}).reshape({zero.size(), 2, 2});
      return std::make_shared<D::MultivariateNormal>(columns({a[loc], constant(0.5, zero)}),
                                                     D::MultivariateNormalOptions{.scale_tril = L});
    };
  };
  const Maker p = of("loc", "scale", "tril");
  const auto point = [](Arguments& a) { return columns({a["x"], constant(0.25, a["x"])}); };
  f.add("log_prob", {"x", "loc", "scale", "tril"}, [=](Arguments& a) { return p(a)->log_prob(point(a)); });
  f.add("prob", {"x", "loc", "scale", "tril"}, [=](Arguments& a) { return p(a)->prob(point(a)); });
  f.add("entropy", {"scale"}, [=](Arguments& a) { return p(a)->entropy(); });
  f.add("variance", {"tril"}, [=](Arguments& a) { return column(p(a)->variance(), 1); });
  f.add("covariance", {"scale", "tril"}, [=](Arguments& a) { return p(a)->covariance()[{Slice(), 0, 1}]; });
  f.add("kl_divergence", {"loc", "scale", "loc2", "scale2"},
        divergence(of("loc", "scale", "none"), of("loc2", "scale2", "none")));
}

}  // namespace

void add_distributions(std::vector<Case>& c) {
  add_real(c);
  add_positive(c);
  add_uniform(c);
  add_bernoulli(c);
  add_beta(c);
  add_categorical(c);
  add_multivariate(c);
}

}  // namespace sweep
