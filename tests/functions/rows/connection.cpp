// SPDX-License-Identifier: MIT
#include "table.h"

namespace table {

void connection(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), cube = normal({2, 3, 4});
  t.push_back(row("linear", "F.linear(*x)", [](const Variables& x) { return F::linear(x[0], x[1], x[2]); },
                  {m, normal({5, 4}), normal({5})})
                  .reference([](const Arrays& x) { return Arrays{matmul(x[0], x[1].T()) + x[2]}; }));
  t.push_back(
      row("linear", "F.linear(*x)", [](const Variables& x) { return F::linear(x[0], x[1]); }, {cube, normal({5, 12})}));
  t.push_back(row("linear", "F.linear(*x, n_batch_axes=2)",
                  [](const Variables& x) { return F::linear(x[0], x[1], x[2], {.n_batch_axes = 2}); },
                  {cube, normal({5, 4}), normal({5})}));
  t.push_back(row("linear", "F.linear(F.linear(*x), x[1])",
                  [](const Variables& x) { return F::linear(F::linear(x[0], x[1]), x[1]); }, {m, normal({4, 4})}));
  t.push_back(row("embed_id", "F.embed_id(np.array([[0, 2], [2, 1]], 'i'), x[0])",
                  [](const Variables& x) {
                    return F::embed_id(array({{0, 2}, {2, 1}}).to_device(x[0].device()), x[0]);
                  },
                  {m}));
  t.push_back(row("embed_id", "F.embed_id(np.array([-1, 2, 1], 'i'), x[0], ignore_label=-1)",
                  [](const Variables& x) {
                    return F::embed_id(array({-1, 2, 1}).to_device(x[0].device()), x[0], {.ignore_label = -1});
                  },
                  {m}));

  // The release accepts float32 only.
  t.push_back(row("bilinear", "", [](const Variables& x) { return F::bilinear(x[0], x[1], x[2]); },
                  {m, normal({3, 3}), normal({4, 3, 2})}));
  t.back().reference = [](const Arrays& x) {
    return Arrays{sum(x[0].reshape({3, 4, 1, 1}) * x[1].reshape({3, 1, 3, 1}) * x[2], {1, 2})};
  };
  t.push_back(row("bilinear", "", [](const Variables& x) { return F::bilinear(x[0], x[1], x[2], x[3], x[4], x[5]); },
                  {cube, normal({2, 3}), normal({12, 3, 2}), normal({12, 2}), normal({3, 2}), normal({2})}));
}

}  // namespace table
