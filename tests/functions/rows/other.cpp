// SPDX-License-Identifier: MIT
// Evaluation, noise injections, utilities.
#include "table.h"

namespace table {

void other(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), labels = array({1, 3, 0});
  t.push_back(
      row("accuracy", "F.accuracy(x[0], x[1])", [](const Variables& x) { return F::accuracy(x[0], x[1]); }, {m, labels})
          .no_gradient());
  t.push_back(row("accuracy", "F.accuracy(x[0], x[1], ignore_label=3)",
                  [](const Variables& x) { return F::accuracy(x[0], x[1], {.ignore_label = 3}); }, {m, labels})
                  .no_gradient());
  t.push_back(row("binary_accuracy", "F.binary_accuracy(x[0], x[1])",
                  [](const Variables& x) { return F::binary_accuracy(x[0], x[1]); },
                  {m, array({{1, 0, -1, 1}, {0, 0, 1, 1}, {1, -1, 0, 1}})})
                  .no_gradient());
  t.push_back(row("dropout",
                  "F.dropout(x[0], 0.5, mask=np.array([[2, 0, 2, 0], [0, 2, 2, 0], [2, 2, 0, 0]], x[0].dtype))",
                  [](const Variables& x) {
                    const Array mask = array({{2., 0., 2., 0.}, {0., 2., 2., 0.}, {2., 2., 0., 0.}});
                    return F::dropout(x[0], 0.5, {.mask = mask.astype(x[0].dtype())});
                  },
                  {m}));
  t.push_back(row("forget", "F.forget(lambda a, b: F.tanh(a) * b, x[0], x[1])",
                  [](const Variables& x) {
                    return F::forget([](const Variables& v) { return Variables{F::tanh(v[0]) * v[1]}; }, x);
                  },
                  {m, normal({3, 4})}));

  const Array eps = normal({3, 4});
  t.push_back(row("gaussian", "F.gaussian(x[0], x[1], eps=x[2].array)",
                  [](const Variables& x) { return F::gaussian(x[0], x[1], {.eps = x[2].array()}); },
                  {m, normal({3, 4}), eps})
                  .no_gradient());
  t.push_back(row("gaussian", "", [eps](const Variables& x) { return F::gaussian(x[0], x[1], {.eps = eps}); },
                  {m, normal({3, 4})}));
  // With a seed these functions draw the same numbers as the release.
  const auto seeded = [](auto f) {
    return [f](const Variables& x) {
      random::seed(0);
      return f(x);
    };
  };
  t.push_back(row("gumbel_softmax", "(np.random.seed(0), F.gumbel_softmax(x[0], 0.7))[1]",
                  seeded([](const Variables& x) { return F::gumbel_softmax(x[0], 0.7); }), {m}));
  t.push_back(row("zoneout", "(np.random.seed(0), F.zoneout(x[0], x[1], 0.3))[1]",
                  seeded([](const Variables& x) { return F::zoneout(x[0], x[1], 0.3); }), {m, normal({3, 4})}));
  const Array mask = array({{1, 0, 1, 1}, {0, 1, 1, 0}});
  // The release accepts float32 only.
  t.push_back(row(
      "simplified_dropconnect", "",
      [mask](const Variables& x) { return F::simplified_dropconnect(x[0], x[1], x[2], {.ratio = 0.25, .mask = mask}); },
      {m, normal({2, 4}), normal({2})}));
  const Array masks = stack({mask, 1 - mask, mask * 0 + 1});
  t.push_back(
      row("simplified_dropconnect", "",
          [masks](const Variables& x) { return F::simplified_dropconnect(x[0], x[1], {}, {.mask = masks}); },
          {m, normal({2, 4})})
          .reference([masks](const Arrays& x) {
            return Arrays{matmul(x[1] * masks.astype(x[1].dtype()) * 2., x[0].reshape({3, 4, 1})).reshape({3, 2})};
          }));

  const Array scores = normal({6, 3}), truth = array({0, 2, 1, 2, -1, 0});
  const auto summary = [&](const std::string& name, auto f) {
    t.push_back(
        row(name, "F." + name + "(x[0], x[1], label_num=3)", [f](const Variables& x) { return f(x); }, {scores, truth})
            .no_gradient());
    t.back().float64_result = true;
  };
  summary("classification_summary", [](const Variables& x) {
    const auto s = F::classification_summary(x[0], x[1], {.label_num = 3});
    return Variables{s.precision, s.recall, s.fbeta, s.support};
  });
  summary("precision", [](const Variables& x) { return F::precision(x[0], x[1], {.label_num = 3}); });
  summary("recall", [](const Variables& x) { return F::recall(x[0], x[1], {.label_num = 3}); });
  summary("f1_score", [](const Variables& x) { return F::f1_score(x[0], x[1], {.label_num = 3}); });
  t.push_back(
      row("r2_score", "F.r2_score(*x)", [](const Variables& x) { return F::r2_score(x[0], x[1]); }, {m, normal({3, 4})})
          .no_gradient());
  t.push_back(row("r2_score", "F.r2_score(*x, multioutput='raw_values')",
                  [](const Variables& x) { return F::r2_score(x[0], x[1], "raw_values"); }, {m, normal({3, 4})})
                  .no_gradient());
}

}  // namespace table
