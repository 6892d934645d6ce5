// SPDX-License-Identifier: MIT
// Functions and their gradients at tiny and at extreme arguments: float32 must agree with float64, which has more range
// and digits, up to a few roundings. This shows formulas that cancel, overflow on the way or lose a tail.
#include <chainer/chainer.h>

#include <cmath>

#include "test.h"

using namespace chainer;

namespace {

struct Tail {
  const char* name;
  std::function<Variable(const Variable&)> f;
  double low = -HUGE_VAL, high = HUGE_VAL;  // the range of arguments
  double bound = 4e-6;                      // relative error of values and gradients
  double floor = 1e-37;                     // absolute error
  double gradient_floor = 1e-37;            // of gradients: larger where they are computed from the results
};

const std::vector<double>& far_arguments() {
  static const std::vector<double> all = [] {
    std::vector<double> out = {0};
    for (const double v : {1e-38, 1e-30, 1e-20, 1e-12, 1e-8, 1e-5, 1e-3, 0.1,  0.5,  0.9,  0.99999, 1.0,  1.00001,
                           1.5,   2.0,   3.0,   5.0,   8.0,  10.0, 12.0, 15.0, 17.0, 20.0, 30.0,    50.,  80.,
                           87.,   89.,   100.,  300.,  1e3,  1e4,  1e6,  1e10, 3e15, 1e19, 3e19,    1e30, 3e38})
      for (const double sign : {1., -1.}) out.push_back(sign * v);
    for (const double v : {HUGE_VAL, -HUGE_VAL}) out.push_back(v);
    return out;
  }();
  return all;
}

Variable labelled(const Variable& x, int label) {
  return F::sigmoid_cross_entropy(x, Variable(full(x.shape(), label, int32)),
                                  {.normalize = false, .reduce = Reduction::no});
}

// Softmaxes add small numbers to numbers near 1, so errors are relative to 1.
const std::vector<Tail>& tails() {
  const double inf = HUGE_VAL, most = 1e300;
  static const std::vector<Tail> all = {
      {"sigmoid", [](const Variable& x) { return F::sigmoid(x); }, -inf, inf, 4e-6, 1e-37, 1.2e-7},
      {"tanh", [](const Variable& x) { return F::tanh(x); }, -8, 8, 2e-5, 1e-37, 2.4e-7},
      {"softplus", [](const Variable& x) { return F::softplus(x); }},
      {"softplus beta", [](const Variable& x) { return F::softplus(x, {.beta = 2.}); }},
      {"elu", [](const Variable& x) { return F::elu(x); }, -most, most},
      {"selu", [](const Variable& x) { return F::selu(x); }, -most, most},
      {"leaky_relu", [](const Variable& x) { return F::leaky_relu(x); }},
      {"hard_sigmoid", [](const Variable& x) { return F::hard_sigmoid(x); }},
      {"clipped_relu", [](const Variable& x) { return F::clipped_relu(x); }},
      {"swish",
       [](const Variable& x) {
         return F::flatten(F::swish(F::reshape(x, {x.size(), 1}), Variable(ones({1}, x.dtype()))));
       },
       -80, most, 2e-5},
      {"exp", [](const Variable& x) { return F::exp(x); }, -80, inf},
      {"expm1", [](const Variable& x) { return F::expm1(x); }, -most, inf},
      {"log", [](const Variable& x) { return F::log(x); }, 0, inf},
      {"log1p", [](const Variable& x) { return F::log1p(x); }, -0.99, inf},
      {"log2", [](const Variable& x) { return F::log2(x); }, 0, inf},
      {"log10", [](const Variable& x) { return F::log10(x); }, 0, inf},
      {"sqrt", [](const Variable& x) { return F::sqrt(x); }, 0, inf},
      {"rsqrt", [](const Variable& x) { return F::rsqrt(x); }, 1e-20, 1e19},
      {"sin", [](const Variable& x) { return F::sin(x); }, -1e4, 1e4},
      {"cos", [](const Variable& x) { return F::cos(x); }, -1e4, 1e4},
      {"tan", [](const Variable& x) { return F::tan(x); }, -1e4, 1e4},
      {"arcsin", [](const Variable& x) { return F::arcsin(x); }, -0.9, 0.9},
      {"arccos", [](const Variable& x) { return F::arccos(x); }, -0.9, 0.9},
      {"arctan", [](const Variable& x) { return F::arctan(x); }, -1e15, 1e15},
      {"sinh", [](const Variable& x) { return F::sinh(x); }, -80, 80},
      {"cosh", [](const Variable& x) { return F::cosh(x); }, -80, 80},
      {"erf", [](const Variable& x) { return F::erf(x); }, -9, 9},
      {"erfc", [](const Variable& x) { return F::erfc(x); }, -9, 8, 2e-5},
      {"erfcx", [](const Variable& x) { return F::erfcx(x); }, -5, 1e15, 2e-5},
      {"ndtr", [](const Variable& x) { return F::ndtr(x); }, -12, 12, 3e-5},
      {"log_ndtr", [](const Variable& x) { return F::log_ndtr(x); }, -1e10, 12, 3e-5},
      {"lgamma", [](const Variable& x) { return F::lgamma(x); }, 1e-5, 1e15, 3e-5, 1e-5},
      {"digamma", [](const Variable& x) { return F::digamma(x); }, 1e-5, 1e15, 3e-5, 1e-5},
      {"square", [](const Variable& x) { return F::square(x); }, -most, most},
      {"absolute", [](const Variable& x) { return F::absolute(x); }},
      {"reciprocal", [](const Variable& x) { return 1. / x; }, 1e-18, 1e18},
      {"log_softmax",
       [](const Variable& x) {
         return F::log_softmax(F::stack({x, x * 0.}, 1));
       },
       -most, most, 4e-6, 2.4e-7, 2.4e-7},
      {"softmax",
       [](const Variable& x) {
         return F::softmax(F::stack({x, x * 0.}, 1));
       },
       -80, 80, 4e-6, 2.4e-7, 2.4e-7},
      {"logsumexp",
       [](const Variable& x) {
         return F::logsumexp(F::stack({x, x * 0.}, 1), {1});
       },
       -most, most, 4e-6, 2.4e-7, 2.4e-7},
      {"softmax_cross_entropy",
       [](const Variable& x) {
         return F::softmax_cross_entropy(F::stack({x, x * 0.}, 1), Variable(zeros(x.shape(), int32)),
                                         {.reduce = Reduction::no});
       },
       -most, most, 4e-6, 2.4e-7, 2.4e-7},
      {"sigmoid_cross_entropy of 0", [](const Variable& x) { return labelled(x, 0); }, -most, most},
      {"sigmoid_cross_entropy of 1", [](const Variable& x) { return labelled(x, 1); }, -most, most},
      {"bernoulli_nll of 0", [](const Variable& x) { return F::bernoulli_nll(x * 0., x, Reduction::no); }, -most, most},
      {"bernoulli_nll of 1", [](const Variable& x) { return F::bernoulli_nll(x * 0. + 1., x, Reduction::no); }, -most,
       most},
      {"huber_loss", [](const Variable& x) { return F::huber_loss(x, x * 0., 1., {.reduce = Reduction::no}); }, -most,
       most},
  };
  return all;
}

// Value and gradient of a function in `dtype`, at float32 arguments.
std::pair<Array, Array> value_and_gradient(const Tail& c, const Array& x, Dtype dtype) {
  const Variable v(x.astype(dtype));
  const Variable y = c.f(v);
  const Variable g = grad({F::sum(y)}, {v})[0];
  return {y.array().astype(float64), g ? g.array().astype(float64) : zeros(x.shape(), float64)};
}

// Fails where the relative error of an element that float32 can represent is too large.
void compare_tails(const Tail& c, const char* what, const Array& x, const Array& got, const Array& want, double floor) {
  const int64_t each = got.size() / std::max<int64_t>(1, x.size());
  const Array flat_got = got.reshape({-1}), flat_want = want.reshape({-1});
  for (int64_t i = 0; i < got.size(); ++i) {
    const double g = flat_got[i].item<double>(), w = flat_want[i].item<double>();
    ++test::expectations;
    const bool too_large = std::abs(w) > 3.4e38;
    if (std::isnan(w) ? std::isnan(g)
        : too_large   ? std::abs(g) > 3e38
                      : std::abs(g - w) <= c.bound * std::abs(w) + floor)
      continue;
    test::fail(
        __FILE__, __LINE__,
        text(c.name, ": ", what, " at ", x[i / std::max<int64_t>(1, each)].item<double>(), " is ", g, ", not ", w));
  }
}

}  // namespace

TEST(functions_keep_their_tails) {
  for (const Tail& c : tails()) {
    std::vector<double> in;
    for (const double v : far_arguments())
      if (v >= c.low && v <= c.high) in.push_back(static_cast<double>(static_cast<float>(v)));
    const Array x = array(in);
    const auto [y, gy] = value_and_gradient(c, x, float32);
    const auto [z, gz] = value_and_gradient(c, x, float64);
    compare_tails(c, "the value", x, y, z, c.floor);
    compare_tails(c, "the gradient", x, gy, gz, std::max(c.floor, c.gradient_floor));
  }
}

// Sums and squares above the largest float16.
TEST(sums_of_16_bits_do_not_overflow) {
  const Array x = array(std::vector<double>(140000, 0.)).reshape({70000, 2}).astype(float16), t = zeros({70000}, int32);
  const auto check = [](const std::function<Variable(const Variable&)>& f, const Array& at, double rtol) {
    const Variable half(at), single(at.astype(float32));
    const Variable y = f(half), z = f(single);
    EXPECT_EQ(y.dtype(), float16);
    EXPECT_CLOSE(y.array().astype(float32), z.array(), {.atol = 0, .rtol = rtol});
    const Array g = grad({F::sum(y)}, {half})[0].array(), h = grad({F::sum(z)}, {single})[0].array();
    EXPECT_CLOSE(g.astype(float32), h, {.atol = 1e-7, .rtol = rtol});
  };
  check([&](const Variable& v) { return F::softmax_cross_entropy(v, t); }, x, 2e-3);
  check([&](const Variable& v) { return F::sigmoid_cross_entropy(v, zeros(v.shape(), int32)); }, x, 2e-3);
  check([](const Variable& v) { return F::normalize(v); }, full({3, 400}, 300., float16), 4e-3);
  for (const auto norm : {functions::HingeNorm::L1, functions::HingeNorm::L2})
    check([&](const Variable& v) { return F::hinge(v, t, {.norm = norm}); }, x, 2e-3);
  const auto mean_of_squares = [](const Variable& v) { return F::mean_squared_error(v, v * 0); };
  check(mean_of_squares, x + 1, 2e-3);
  check(mean_of_squares, concatenate({full({10}, 300., float16), zeros({90}, float16)}, 0), 2e-3);
  const Array truth = arange(0, 70000).astype(float32) / 1000, near = truth + 1;
  EXPECT_CLOSE(F::r2_score(near.astype(float16), truth.astype(float16)).array().astype(float32),
               F::r2_score(near, truth).array(), {.atol = 1e-2, .rtol = 1e-2});
  check([](const Variable& v) { return F::normalize(v); }, full({3, 400}, 1e-3, float16), 2e-2);
}
