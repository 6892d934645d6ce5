// Functions of one number over -1e4 ... 1e4 and at the ends of each dtype: value, first and second gradient are finite
// wherever the true ones can be represented, and near them (conformance/make_tails.py).
#include <chainer/chainer.h>

#include <cmath>
#include <set>

#include "rows/table.h"
#include "test.h"

using namespace chainer;

namespace {

using Call = std::function<Variable(const Variable&)>;

Variable with_zero(const Variable& x) { return F::stack({x, x * 0}, 1); }
Array like(const Variable& x, double value) { return full_like(x.array(), value); }

template <class T>
T standard(const Variable& x) {
  return T(Variable(like(x, 0), false), Variable(like(x, 1), false));
}
D::Bernoulli bernoulli(const Variable& logit) { return D::Bernoulli(D::BernoulliOptions{.logit = logit}); }

// Functions that the table has no elementwise row for, and methods of distributions.
std::map<std::string, Call> more() {
  const auto column = [](const Variable& x, int64_t i) { return x[{Slice(), i}]; };
  const auto zeros_of = [](const Variable& x) { return zeros(x.shape(), int32); };
  std::map<std::string, Call> calls{
      {"polygamma(1, x)", [](const Variable& x) { return F::polygamma(array(1), x); }},
      {"polygamma(2, x)", [](const Variable& x) { return F::polygamma(array(2), x); }},
      {"swish(x, 1)",
       [](const Variable& x) {
         const Array one = ones({1}, x.dtype());
         return F::swish(x.reshape({x.size(), 1}), one).reshape(x.shape());
       }},
      {"1 / x", [](const Variable& x) { return 1 / x; }},
      {"x ** 3", [](const Variable& x) { return pow(x, 3); }},
      {"x ** 0.5", [](const Variable& x) { return pow(x, 0.5); }},
      {"x ** -1.5", [](const Variable& x) { return pow(x, -1.5); }},
      {"2 ** x", [](const Variable& x) { return pow(2, x); }},
      {"arctan2(x, 1)", [](const Variable& x) { return F::arctan2(x, like(x, 1)); }},
      {"arctan2(1, x)", [](const Variable& x) { return F::arctan2(like(x, 1), x); }},
      {"logsumexp([x, 0])", [](const Variable& x) { return F::logsumexp(with_zero(x), 1); }},
      {"softmax([x, 0])", [=](const Variable& x) { return column(F::softmax(with_zero(x)), 0); }},
      {"log_softmax([x, 0])", [=](const Variable& x) { return column(F::log_softmax(with_zero(x)), 0); }},
      {"sigmoid_cross_entropy(x, 1)",
       [=](const Variable& x) { return F::sigmoid_cross_entropy(x, zeros_of(x) + 1, {.reduce = Reduction::no}); }},
      {"sigmoid_cross_entropy(x, 0)",
       [=](const Variable& x) { return F::sigmoid_cross_entropy(x, zeros_of(x), {.reduce = Reduction::no}); }},
      {"softmax_cross_entropy([x, 0], 0)",
       [=](const Variable& x) {
         return F::softmax_cross_entropy(with_zero(x), zeros_of(x),
                                         {.reduce = Reduction::no, .enable_double_backprop = true});
       }},
      {"huber_loss(x, 0, 1)", [](const Variable& x) { return F::huber_loss(x, like(x, 0), 1, {.reduce = "no"}); }},
      {"bernoulli_nll(1, x)", [](const Variable& x) { return F::bernoulli_nll(like(x, 1), x, Reduction::no); }},
      {"squared_error(x, 1)", [](const Variable& x) { return F::squared_error(x, like(x, 1)); }},
      {"gaussian_kl_divergence(1, x)",
       [](const Variable& x) { return F::gaussian_kl_divergence(like(x, 1), x, Reduction::no); }},
      {"gaussian_nll(1, 0, x)",
       [](const Variable& x) { return F::gaussian_nll(like(x, 1), like(x, 0), x, Reduction::no); }},
      {"Beta(2, 3).log_prob", [](const Variable& x) { return D::Beta(like(x, 2), like(x, 3)).log_prob(x); }},
      {"Beta(2, 3).prob", [](const Variable& x) { return D::Beta(like(x, 2), like(x, 3)).prob(x); }},
      {"Bernoulli(logit=x).log_prob(1)", [](const Variable& x) { return bernoulli(x).log_prob(like(x, 1)); }},
      {"Bernoulli(logit=x).log_prob(0)", [](const Variable& x) { return bernoulli(x).log_prob(like(x, 0)); }},
      {"Bernoulli(logit=x).entropy", [](const Variable& x) { return bernoulli(x).entropy(); }},
      {"Uniform(-1, 2).cdf",
       [](const Variable& x) { return D::Uniform(D::UniformOptions{.low = like(x, -1), .high = like(x, 2)}).cdf(x); }},
  };
  using Method = Variable (Distribution::*)(const Variable&) const;
  const std::pair<const char*, Method> methods[] = {
      {"log_prob", &Distribution::log_prob},
      {"prob", &Distribution::prob},
      {"cdf", &Distribution::cdf},
      {"log_cdf", &Distribution::log_cdf},
      {"survival_function", &Distribution::survival_function},
      {"log_survival_function", &Distribution::log_survival_function},
      {"icdf", &Distribution::icdf},
  };
  for (const auto& [name, method] : methods) {
    const Method m = method;
    calls[text("Normal.", name)] = [m](const Variable& x) { return (standard<D::Normal>(x).*m)(x); };
    calls[text("Laplace.", name)] = [m](const Variable& x) { return (standard<D::Laplace>(x).*m)(x); };
    calls[text("LogNormal.", name)] = [m](const Variable& x) { return (standard<D::LogNormal>(x).*m)(x); };
  }
  return calls;
}

std::map<std::string, Call> all_calls() {
  std::map<std::string, Call> calls = more();
  for (const testing::OpCase& c : table::rows())
    if (c.elementwise && c.inputs.size() == 1 && !c.python.empty() && c.differentiable)
      calls[c.python] = [f = c.function](const Variable& x) { return f({x})[0]; };
  return calls;
}

// What is compared: the value and two gradients, none where there is none.
Arrays computed(const Call& f, const Array& points) {
  Variable x(points);
  const Variable y = f(x);
  Arrays out{y.array(), {}, {}};
  if (!y.creator()) return out;
  const Variable first = grad({y}, {x}, {.grad_outputs = {ones_like(y.array())}, .enable_double_backprop = true})[0];
  out[1] = first.array();
  if (!first.creator()) return out;
  const Variable second = grad({first}, {x}, {.grad_outputs = {ones_like(y.array())}})[0];
  if (second) out[2] = second.array();
  return out;
}

double largest(Dtype d) { return d == float16 ? 65504 : d == float32 ? 3.4028234663852886e38 : 1.7976931348623157e308; }
// Gradients of these pass through that of log(x): where its square is no number, they are none either.
bool passes_log(const std::string& name) { return name.rfind("LogNormal.", 0) == 0 || name.rfind("Beta(", 0) == 0; }
double tolerance(Dtype d) { return d == float16 ? 3e-2 : d == float32 ? 3e-4 : 1e-8; }

}  // namespace

TEST(functions_at_the_ends_of_their_range) {
  const serializers::NpzFile truth(TEST_DATA "../conformance/tails.npz");
  const char* const quantity[] = {"value", "gradient", "second gradient"};
  for (const auto& [name, f] : all_calls()) {
    for (Dtype d : {float16, float32, float64}) {
      const std::string key = chainer::text(name, "/", d);
      if (!truth.contains(key)) {
        test::fail(key.c_str(), 0, "tails.npz has no values of it: add it to make_tails.py and run that");
        continue;
      }
      const Array table = truth.array(key);
      if (table.size() == 0) continue;
      try {
        const Array at = table[{Slice(), 0}].copy();
        const Arrays ours = computed(f, at.astype(d));
        const std::vector<double> x = at.to_vector<double>();
        for (int q = 0; q < 3; ++q) {
          const std::vector<double> expected = table[{Slice(), q + 1}].copy().to_vector<double>();
          const std::vector<double> got = ours[static_cast<std::size_t>(q)]
                                              ? ours[static_cast<std::size_t>(q)].to_vector<double>()
                                              : std::vector<double>(expected.size(), 0.0);
          int shown = 0;
          for (std::size_t i = 0; i < x.size(); ++i) {
            if (!(std::abs(expected[i]) <= largest(d))) continue;  // no number of this dtype
            if (q > 0 && passes_log(name) && x[i] * x[i] * largest(d) < 4) continue;
            const double allowed = tolerance(d) * std::max(1.0, std::abs(expected[i]));
            if (std::abs(got[i] - expected[i]) <= allowed) continue;
            if (++shown <= 3)
              test::fail(key.c_str(), 0,
                         chainer::text("the ", quantity[q], " at ", x[i], " is ", got[i], ", expected ", expected[i]));
          }
          if (shown > 3) test::fail(key.c_str(), 0, chainer::text("... and ", shown - 3, " more of these"));
        }
      } catch (const MissingPartError& e) {
        std::fprintf(stderr, "left out: %s\n", e.what());
      } catch (const std::exception& e) { test::fail(key.c_str(), 0, e.what()); }
    }
  }
}
