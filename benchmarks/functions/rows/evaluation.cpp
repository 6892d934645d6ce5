// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {
namespace {
/// Scores of eight classes, and labels.
Inputs classes(const Size& s) { return {normal({s.n / 8, 8}), integers(0, 8, {s.n / 8})}; }
}  // namespace

void evaluation(Table& t) {
  t.add(
       "accuracy", "(x[0].argmax(1) == x[1]).float().mean()",
       [](const Variables& x) { return F::accuracy(x[0], x[1]); }, classes)
      .data_only();
  t.add(
       "binary_accuracy", "((x[0] >= 0) == x[1])[x[1] != -1].float().mean()",
       [](const Variables& x) { return F::binary_accuracy(x[0], x[1]); },
       [](const Size& s) {
         return Inputs{normal(s.line()), integers(0, 2, s.line())};
       })
      .data_only();
  const auto summary = [](const Variables& x) {
    const auto r = F::classification_summary(x[0], x[1], {.label_num = 8});
    return Variables{r.precision, r.recall, r.fbeta, r.support};
  };
  t.add("classification_summary", "classification_summary(*x)", summary, classes).data_only();
  t.add(
       "precision", "classification_summary(*x)[::3]",
       [](const Variables& x) { return F::precision(x[0], x[1], {.label_num = 8}); }, classes)
      .data_only();
  t.add(
       "recall", "classification_summary(*x)[1::2]",
       [](const Variables& x) { return F::recall(x[0], x[1], {.label_num = 8}); }, classes)
      .data_only();
  t.add(
       "f1_score", "classification_summary(*x)[2:]",
       [](const Variables& x) { return F::f1_score(x[0], x[1], {.label_num = 8}); }, classes)
      .data_only();
  t.add(
       "r2_score", "(1 - ((x[0] - x[1]) ** 2).sum(0) / ((x[1] - x[1].mean(0)) ** 2).sum(0)).mean()",
       [](const Variables& x) { return F::r2_score(x[0], x[1]); },
       [](const Size& s) {
         return Inputs{normal(s.matrix), normal(s.matrix)};
       })
      .data_only();
}

}  // namespace bench
