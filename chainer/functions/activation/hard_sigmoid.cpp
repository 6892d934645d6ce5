// SPDX-License-Identifier: MIT
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable HardSigmoid::operator()(const Variable& x) const {
  type_check::check("HardSigmoid", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
  });
  // The gradient is 0.2 strictly between the corners. Outside, where() selects a constant: 0 times inf is NaN.
  const Array a = x.array();
  const Variable inside(logical_and(a > -2.5, a < 2.5), false), value(chainer::clip(a * 0.2 + 0.5, 0, 1), false);
  const Variable y = where(inside, x * 0.2 + 0.5, value);
  return composite("HardSigmoid", {&x}, y, [](NodeAttributes&) {});
}

}  // namespace chainer::functions
