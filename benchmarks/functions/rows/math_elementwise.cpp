#include "../table.h"

namespace bench {

void math_elementwise(Table& t) {
  t.unary("absolute", "torch.abs", F::absolute);
  t.unary("arccos", "torch.acos", F::arccos, -0.9, 0.9);
  t.unary("arcsin", "torch.asin", F::arcsin, -0.9, 0.9);
  t.unary("arctan", "torch.atan", F::arctan);
  t.steps("ceil", "torch.ceil", F::ceil);
  t.add(
      "clip", "torch.clamp(x[0], -1, 1)", [](const Variables& x) { return F::clip(x[0], -1, 1); },
      [](const Size& s) { return Inputs{normal(s.line())}; });
  t.unary("cos", "torch.cos", F::cos);
  t.unary("cosh", "torch.cosh", F::cosh);
  t.unary("digamma", "torch.digamma", F::digamma, 0.5, 3);
  t.unary("erf", "torch.erf", F::erf);
  t.unary("erfc", "torch.erfc", F::erfc);
  t.unary("erfcinv", "erfcinv", F::erfcinv, 0.1, 1.9);
  t.unary("erfcx", "torch.special.erfcx", F::erfcx, -1, 5);
  t.unary("erfinv", "torch.erfinv", F::erfinv, -0.9, 0.9);
  t.unary("exp", "torch.exp", F::exp);
  t.unary("expm1", "torch.expm1", F::expm1);
  t.steps("fix", "torch.fix", F::fix);
  t.steps("floor", "torch.floor", F::floor);
  t.unary("lgamma", "torch.lgamma", F::lgamma, 0.5, 3);
  t.unary("log", "torch.log", F::log, 0.1, 3);
  t.unary("log10", "torch.log10", F::log10, 0.1, 3);
  t.unary("log1p", "torch.log1p", F::log1p, -0.5, 3);
  t.unary("log2", "torch.log2", F::log2, 0.1, 3);
  t.unary("log_ndtr", "torch.special.log_ndtr", F::log_ndtr, -4, 4);
  t.unary("ndtr", "torch.special.ndtr", F::ndtr);
  t.unary("ndtri", "torch.special.ndtri", F::ndtri, 0.05, 0.95);
  t.add(
       "polygamma", "torch.polygamma(1, x[0])",
       [](const Variables& x) {
         static const Array one = ones({1}, int64);
         return F::polygamma(one, x[0]);
       },
       [](const Size& s) { return Inputs{uniform(0.5, 3, s.line())}; })
      .up_to(1);
  t.unary("rsqrt", "torch.rsqrt", F::rsqrt, 0.1, 3);
  t.steps("sign", "torch.sign", F::sign);
  t.unary("sin", "torch.sin", F::sin);
  t.unary("sinh", "torch.sinh", F::sinh);
  t.unary("sqrt", "torch.sqrt", F::sqrt, 0.1, 3);
  t.unary("square", "torch.square", F::square);
  t.unary("tan", "torch.tan", F::tan, -1, 1);
}

}  // namespace bench
