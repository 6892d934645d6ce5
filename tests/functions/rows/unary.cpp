// SPDX-License-Identifier: MIT
#include "unary.h"

#include <algorithm>
#include <cmath>

namespace table {

using namespace chainer;

const std::vector<Unary>& unary_functions() {
  constexpr double kSeluScale = 1.0507009873554804934193349852946, kSeluAlpha = 1.6732632423543772848170429916717;
  // clang-format off
  static const std::vector<Unary> functions = {
      {"absolute", F::absolute, -30, 40, [](double x) { return std::abs(x); }, {.torch = "torch.abs"}},
      {"arccos", F::arccos, -0.85, 0.83, [](double x) { return std::acos(x); },
       {.torch = "torch.acos", .timed = {-0.9, 0.9}}},
      {"arcsin", F::arcsin, -0.85, 0.83, [](double x) { return std::asin(x); },
       {.torch = "torch.asin", .timed = {-0.9, 0.9}}},
      {"arctan", F::arctan, -20, 25, [](double x) { return std::atan(x); }, {.torch = "torch.atan"}},
      {"ceil", F::ceil, -9.3, 10.1, [](double x) { return std::ceil(x); },
       {.torch = "torch.ceil", .differentiable = false}},
      {"clipped_relu", F::clipped_relu, -11, 41, [](double x) { return std::min(std::max(x, 0.), 20.); }},
      {"cos", F::cos, -20, 25, [](double x) { return std::cos(x); }, {.torch = "torch.cos"}},
      {"cosh", F::cosh, -4, 3, [](double x) { return std::cosh(x); }, {.torch = "torch.cosh"}},
      {"digamma", F::digamma, 0.4, 30, nullptr, {.torch = "torch.digamma", .timed = {0.5, 3}}},
      {"elu", F::elu, -9, 10, [](double x) { return x >= 0 ? x : std::expm1(x); }, {.torch = "F.elu"}},
      {"erf", F::erf, -3, 3.5, [](double x) { return std::erf(x); }, {.torch = "torch.erf"}},
      {"erfc", F::erfc, -3, 3.5, [](double x) { return std::erfc(x); }, {.torch = "torch.erfc"}},
      {"erfcinv", F::erfcinv, 0.1, 1.87, nullptr, {.torch = "erfcinv", .timed = {0.1, 1.9}}},
      {"erfcx", F::erfcx, -1.5, 9, nullptr, {.torch = "torch.special.erfcx", .timed = {-1, 5}}},
      {"erfinv", F::erfinv, -0.9, 0.87, nullptr, {.torch = "torch.erfinv", .timed = {-0.9, 0.9}}},
      {"exp", F::exp, -6, 3, [](double x) { return std::exp(x); }, {.torch = "torch.exp"}},
      {"expm1", F::expm1, -6, 3, [](double x) { return std::expm1(x); }, {.torch = "torch.expm1"}},
      {"fix", F::fix, -9.3, 10.1, [](double x) { return std::trunc(x); },
       {.torch = "torch.fix", .differentiable = false}},
      {"floor", F::floor, -9.3, 10.1, [](double x) { return std::floor(x); },
       {.torch = "torch.floor", .differentiable = false}},
      {"gelu", [](const Variable& x) { return F::gelu(x); }, -6, 7,
       [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.)); }, {.in_release = false, .torch = "F.gelu"}},
      {"hard_sigmoid", F::hard_sigmoid, -8, 9, [](double x) { return std::min(1., std::max(0., 0.2 * x + 0.5)); },
       {.torch = "hard_sigmoid", .timed = {-4, 4}}},
      {"identity", [](const Variable& x) { return F::identity(x); }, -8, 9, [](double x) { return x; },
       {.torch = "identity"}},
      {"leaky_relu", F::leaky_relu, -30, 40, [](double x) { return x >= 0 ? x : 0.2 * x; }},
      {"lgamma", F::lgamma, 0.4, 30, [](double x) { return std::lgamma(x); },
       {.torch = "torch.lgamma", .timed = {0.5, 3}}},
      {"log", F::log, 0.2, 50, [](double x) { return std::log(x); }, {.torch = "torch.log", .timed = {0.1, 3}}},
      {"log10", F::log10, 0.2, 50, [](double x) { return std::log10(x); }, {.torch = "torch.log10", .timed = {0.1, 3}}},
      {"log1p", F::log1p, -0.7, 20, [](double x) { return std::log1p(x); },
       {.torch = "torch.log1p", .timed = {-0.5, 3}}},
      {"log2", F::log2, 0.2, 50, [](double x) { return std::log2(x); }, {.torch = "torch.log2", .timed = {0.1, 3}}},
      {"log_ndtr", F::log_ndtr, -9, 4, nullptr, {.torch = "torch.special.log_ndtr", .timed = {-4, 4}}},
      {"ndtr", F::ndtr, -4, 3.5, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.)); },
       {.torch = "torch.special.ndtr"}},
      {"ndtri", F::ndtri, 0.05, 0.94, nullptr, {.torch = "torch.special.ndtri", .timed = {0.05, 0.95}}},
      {"relu", F::relu, -30, 40, [](double x) { return x > 0 ? x : 0.; }, {.torch = "F.relu"}},
      {"rsqrt", F::rsqrt, 0.2, 50, [](double x) { return 1 / std::sqrt(x); },
       {.torch = "torch.rsqrt", .timed = {0.1, 3}}},
      {"selu", F::selu, -9, 10, [](double x) { return kSeluScale * (x > 0 ? x : kSeluAlpha * std::expm1(x)); },
       {.torch = "F.selu"}},
      {"sigmoid", F::sigmoid, -12, 13, [](double x) { return 1 / (1 + std::exp(-x)); }, {.torch = "torch.sigmoid"}},
      {"sign", F::sign, -9.3, 10.1, [](double x) { return double((x > 0) - (x < 0)); },
       {.torch = "torch.sign", .differentiable = false}},
      {"silu", F::silu, -12, 13, [](double x) { return x / (1 + std::exp(-x)); },
       {.in_release = false, .torch = "F.silu"}},
      {"sin", F::sin, -20, 25, [](double x) { return std::sin(x); }, {.torch = "torch.sin"}},
      {"sinh", F::sinh, -4, 3, [](double x) { return std::sinh(x); }, {.torch = "torch.sinh"}},
      {"softplus", F::softplus, -12, 13, [](double x) { return std::log1p(std::exp(x)); }, {.torch = "F.softplus"}},
      {"sqrt", F::sqrt, 0.2, 50, [](double x) { return std::sqrt(x); }, {.torch = "torch.sqrt", .timed = {0.1, 3}}},
      {"square", F::square, -8, 9, [](double x) { return x * x; }, {.torch = "torch.square"}},
      {"tan", F::tan, -1.1, 1.2, [](double x) { return std::tan(x); }, {.torch = "torch.tan", .timed = {-1, 1}}},
      {"tanh", F::tanh, -6, 7, [](double x) { return std::tanh(x); }, {.torch = "torch.tanh"}},
  };
  // clang-format on
  return functions;
}

}  // namespace table
