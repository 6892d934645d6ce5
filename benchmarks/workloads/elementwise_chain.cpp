// SPDX-License-Identifier: MIT
// A memory-bound user-defined activation on 4M floats, forward and backward, composed of functions and operators.
#include "../workload.h"

namespace bench {
using namespace chainer;

Step elementwise_chain() {
  Variable x(uniform({2048, 2048}));
  Step s;
  s.run = [x]() mutable {
    Variable l = F::sum(x * F::sigmoid(x) + 0.1 * F::tanh(x) - x * x / 2);
    x.cleargrad();
    l.backward();
    return l;
  };
  s.parameters = {{"x", x}};
  return s;
}

}  // namespace bench
