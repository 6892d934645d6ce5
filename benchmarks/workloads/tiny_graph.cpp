// SPDX-License-Identifier: MIT
// The cost of one small operation: 300 chained ones on 8x8 arrays, forward and backward.
#include "../workload.h"

namespace bench {
using namespace chainer;

Step tiny_graph() {
  Variable w(uniform({8, 8}));
  const Array x = uniform({8, 8});
  Step s;
  const auto loss = maybe_static([](const Variable& x, const Variable& w) {
    Variable h = x;
    for (int i = 0; i < 100; ++i) h = F::tanh(h * w + x);
    return F::sum(h);
  });
  s.run = [w, x, loss]() mutable {
    Variable l = loss(x, w);
    w.cleargrad();
    l.backward();
    return l;
  };
  s.inputs = {{"x", x}};
  s.parameters = {{"w", w}};
  return s;
}

}  // namespace bench
