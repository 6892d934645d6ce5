// The cost of one small operation: 300 chained ones on 8x8 arrays, forward and backward.
#include "../workload.h"

namespace bench {
using namespace chainer;

Step tiny_graph() {
  Variable w(uniform({8, 8}));
  const Array x = uniform({8, 8});
  Step s;
  s.run = [w, x]() mutable {
    Variable h = x;
    for (int i = 0; i < 100; ++i) h = F::tanh(h * w + x);
    Variable l = F::sum(h);
    w.cleargrad();
    l.backward();
    return l;
  };
  s.inputs = {{"x", x}};
  s.parameters = {{"w", w}};
  return s;
}

}  // namespace bench
