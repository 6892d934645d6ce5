// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {
namespace {
Inputs lines(const Size& s) { return {normal(s.line()), normal(s.line())}; }
Inputs labelled(const Size& s) { return {normal(s.matrix), integers(0, static_cast<double>(s.columns()), {s.rows()})}; }
}  // namespace

void loss(Table& t) {
  t.binary("absolute_error", "absolute_error", F::absolute_error);
  t.binary("squared_error", "squared_error", F::squared_error);
  t.binary("mean_absolute_error", "F.l1_loss", F::mean_absolute_error);
  t.binary("mean_squared_error", "F.mse_loss", F::mean_squared_error);
  t.add(
      "bernoulli_nll", "F.binary_cross_entropy_with_logits(x[1], x[0], reduction='sum')",
      [](const Variables& x) { return F::bernoulli_nll(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{fixed(uniform(0, 1, s.line())), normal(s.line())};
      });
  t.add(
      "contrastive", "contrastive(*x)", [](const Variables& x) { return F::contrastive(x[0], x[1], x[2]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal(s.matrix), integers(0, 2, {s.rows()})};
      });
  t.add(
      "cross_covariance", "cross_covariance(*x)", [](const Variables& x) { return F::cross_covariance(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal({s.n / 8, 8}), normal({s.n / 8, 8})};
      });
  t.add(
      "decov", "decov(x[0])", [](const Variables& x) { return F::decov(x[0]); },
      [](const Size& s) {
        return Inputs{normal({s.n / 8, 8})};
      });
  t.absent("discriminative_margin_based_clustering_loss", "no counterpart in PyTorch: a loop over instances");
  t.add(
      "gaussian_kl_divergence", "0.5 * (x[0] * x[0] + x[1].exp() - x[1] - 1).sum()",
      [](const Variables& x) { return F::gaussian_kl_divergence(x[0], x[1]); }, lines);
  t.add(
      "gaussian_nll", "F.gaussian_nll_loss(x[1], x[0], x[2].exp(), full=True, eps=0, reduction='sum')",
      [](const Variables& x) { return F::gaussian_nll(x[0], x[1], x[2]); },
      [](const Size& s) {
        return Inputs{normal(s.line()), normal(s.line()), normal(s.line())};
      });
  t.add(
      "hinge", "hinge(*x)", [](const Variables& x) { return F::hinge(x[0], x[1]); }, labelled);
  t.add(
      "huber_loss", "F.huber_loss(*x, reduction='none').sum(1)",
      [](const Variables& x) { return F::huber_loss(x[0], x[1], 1); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal(s.matrix)};
      });
  t.add(
      "sigmoid_cross_entropy", "F.binary_cross_entropy_with_logits(x[0], x[1].float())",
      [](const Variables& x) { return F::sigmoid_cross_entropy(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.line()), integers(0, 2, s.line())};
      });
  t.add(
      "softmax_cross_entropy", "F.cross_entropy(*x)",
      [](const Variables& x) { return F::softmax_cross_entropy(x[0], x[1]); }, labelled);
  t.add(
      "linear_cross_entropy", "F.linear_cross_entropy(*x)",
      [](const Variables& x) { return F::linear_cross_entropy(x[0], x[1], x[2]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal(s.matrix), integers(0, static_cast<double>(s.rows()), {s.rows()})};
      });
  t.add(
      "triplet", "triplet(*x)", [](const Variables& x) { return F::triplet(x[0], x[1], x[2]); },
      [](const Size& s) { return Inputs(3, normal(s.matrix)); });
}

}  // namespace bench
