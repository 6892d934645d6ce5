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
}

}  // namespace table
