// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {

void math_elementwise(Table& t) {
  t.add(
      "clip", "torch.clamp(x[0], -1, 1)", [](const Variables& x) { return F::clip(x[0], -1, 1); },
      [](const Size& s) { return Inputs{normal(s.line())}; });
  t.add(
       "polygamma", "torch.polygamma(1, x[0])",
       [](const Variables& x) {
         static const Array one = ones({1}, int64);
         return F::polygamma(one.to_device(x[0].device()), x[0]);
       },
       [](const Size& s) { return Inputs{uniform(0.5, 3, s.line())}; })
      .up_to(1);
}

}  // namespace bench
