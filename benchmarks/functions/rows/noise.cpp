// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {

void noise(Table& t) {
  t.add(
       "dropout", "F.dropout(x[0], 0.5)", [](const Variables& x) { return F::dropout(x[0], 0.5); },
       [](const Size& s) { return Inputs{normal(s.line())}; })
      .drawn();
  t.add(
       "gaussian", "x[0] + (x[1] / 2).exp() * torch.randn_like(x[0])",
       [](const Variables& x) { return F::gaussian(x[0], x[1]); },
       [](const Size& s) {
         return Inputs{normal(s.line()), normal(s.line())};
       })
      .drawn();
  t.add(
       "gumbel_softmax", "F.gumbel_softmax(x[0], 0.1, dim=1)",
       [](const Variables& x) { return F::gumbel_softmax(x[0]); },
       [](const Size& s) { return Inputs{normal(s.matrix)}; })
      .drawn();
  t.add(
       "simplified_dropconnect", "dropconnect(*x)",
       [](const Variables& x) { return F::simplified_dropconnect(x[0], x[1], x[2]); },
       [](const Size& s) {
         const int64_t d = s.n == 64 ? 4 : 64;
         return Inputs{normal({s.n / d / d, d}), normal({d, d}), normal({d})};
       })
      .drawn();
  t.add(
       "zoneout", "torch.where(torch.rand_like(x[0]) < 0.5, x[0], x[1])",
       [](const Variables& x) { return F::zoneout(x[0], x[1]); },
       [](const Size& s) {
         return Inputs{normal(s.line()), normal(s.line())};
       })
      .drawn();
}

}  // namespace bench
