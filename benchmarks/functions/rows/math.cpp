// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {
namespace {
Inputs matrix(const Size& s) { return {normal(s.matrix)}; }
Inputs with_row(const Size& s) { return {normal(s.matrix), normal({s.columns()})}; }
}  // namespace

void math(Table& t) {
  t.binary("add", "torch.add", [](const Variable& a, const Variable& b) { return F::add(a, b); });
  t.add(
      "bias", "x[0] + x[1]", [](const Variables& x) { return F::bias(x[0], x[1]); }, with_row);
  t.add(
      "scale", "x[0] * x[1]", [](const Variables& x) { return F::scale(x[0], x[1]); }, with_row);
  t.binary("maximum", "torch.maximum", F::maximum);
  t.binary("minimum", "torch.minimum", F::minimum);
  t.binary("arctan2", "torch.atan2", F::arctan2);
  t.binary("squared_difference", "squared_error", F::squared_difference);
  t.add(
      "fmod", "torch.fmod(x[0], x[1])", [](const Variables& x) { return F::fmod(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{uniform(-5, 5, s.line()), uniform(0.5, 2, s.line())};
      });
  t.add(
      "linear_interpolate", "torch.lerp(x[2], x[1], x[0])",
      [](const Variables& x) { return F::linear_interpolate(x[0], x[1], x[2]); },
      [](const Size& s) {
        return Inputs{uniform(0, 1, s.line()), normal(s.line()), normal(s.line())};
      });
  // Reductions over rows, columns and all elements.
  t.add(
      "sum", "x[0].sum(1)", [](const Variables& x) { return F::sum(x[0], 1); }, matrix);
  t.add(
      "mean", "x[0].mean()", [](const Variables& x) { return F::mean(x[0]); }, matrix);
  t.add(
      "average", "x[0].mean(0)", [](const Variables& x) { return F::average(x[0], 0); }, matrix);
  t.add(
      "sum_to", "x[0].sum_to_size(1, x[0].shape[1])",
      [](const Variables& x) {
        return F::sum_to(x[0], {1, x[0].shape(1)});
      },
      matrix);
  t.add(
      "max", "x[0].amax(1)", [](const Variables& x) { return F::max(x[0], 1); }, matrix);
  t.add(
      "min", "x[0].amin(0)", [](const Variables& x) { return F::min(x[0], 0); }, matrix);
  t.add(
      "prod", "x[0].prod(1)", [](const Variables& x) { return F::prod(x[0], 1); },
      [](const Size& s) { return Inputs{uniform(0.9, 1.1, s.matrix)}; });
  t.add(
      "logsumexp", "x[0].logsumexp(1)", [](const Variables& x) { return F::logsumexp(x[0], 1); }, matrix);
  t.add(
      "batch_l2_norm_squared", "x[0].square().sum(1)",
      [](const Variables& x) { return F::batch_l2_norm_squared(x[0]); }, matrix);
  t.add(
       "argmax", "x[0].argmax(1)", [](const Variables& x) { return F::argmax(x[0], 1); },
       [](const Size& s) { return Inputs{normal(s.matrix)}; })
      .data_only();
  t.add(
       "argmin", "x[0].argmin(0)", [](const Variables& x) { return F::argmin(x[0], 0); },
       [](const Size& s) { return Inputs{normal(s.matrix)}; })
      .data_only();
  t.add(
      "cumsum", "x[0].cumsum(1)", [](const Variables& x) { return F::cumsum(x[0], 1); }, matrix);
  t.add(
      "cumprod", "x[0].cumprod(1)", [](const Variables& x) { return F::cumprod(x[0], 1); },
      [](const Size& s) { return Inputs{uniform(0.9, 1.1, s.matrix)}; });
  t.add(
      "forget", "torch.utils.checkpoint.checkpoint(lambda a: torch.tanh(a * a), x[0], use_reentrant=False)",
      [](const Variables& x) { return F::forget([](const Variable& a) { return F::tanh(a * a); }, x[0]); }, matrix);
}

}  // namespace bench
