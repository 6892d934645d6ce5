// SPDX-License-Identifier: MIT
#include "chainer/functions/connection.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/connection.h"

namespace chainer::links {

Bilinear::Bilinear(int64_t left_size, int64_t right_size, int64_t out_size, const BilinearOptions& o)
    : W(o.initialW.value_or(initializers::LeCunNormal()), Shape{left_size, right_size, out_size}) {
  if (o.nobias) return;
  V1.emplace(o.initialV1.value_or(initializers::LeCunNormal()), Shape{left_size, out_size});
  V2.emplace(o.initialV2.value_or(initializers::LeCunNormal()), Shape{right_size, out_size});
  b.emplace(o.initial_bias.value_or(0.0), Shape{out_size});
}
Variable Bilinear::forward(const Variable& e1, const Variable& e2) {
  if (!V1) return functions::bilinear(e1, e2, W);
  return functions::bilinear(e1, e2, W, V1->variable(), V2->variable(), b->variable());
}

CHAINER_DEFINE_MEMBERS(Bilinear, W, V1, V2, b)

}  // namespace chainer::links
