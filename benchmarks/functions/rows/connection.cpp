// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {

void connection(Table& t) {
  t.add(
       "bilinear", "F.bilinear(x[0], x[1], x[2].permute(2, 0, 1))",
       [](const Variables& x) { return F::bilinear(x[0], x[1], x[2]); },
       [](const Size& s) {
         const int64_t d = s.n == 64 ? 4 : 16;
         return Inputs{normal({s.n / d, d}), normal({s.n / d, d}), normal({d, d, d})};
       })
      .up_to(1);
  t.add(
      "embed_id", "F.embedding(x[1], x[0])", [](const Variables& x) { return F::embed_id(x[1], x[0]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), integers(0, static_cast<double>(s.rows()), {s.rows()})};
      });
  t.add(
      "linear", "F.linear(*x)", [](const Variables& x) { return F::linear(x[0], x[1], x[2]); },
      [](const Size& s) {
        const int64_t out = s.n == 64 ? 8 : 64;
        return Inputs{normal(s.matrix), normal({out, s.columns()}), normal({out})};
      });
  t.add(
      "scaled_dot_product_attention", "F.scaled_dot_product_attention(*x, is_causal=True)",
      [](const Variables& x) { return F::scaled_dot_product_attention(x[0], x[1], x[2], {.causal = true}); },
      [](const Size& s) { return several(3, normal(s.images)); });
}

}  // namespace bench
