#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable HardSigmoid::operator()(const Variable& x) const {
  type_check::check("HardSigmoid", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
  });
  // The gradient is 0.2 strictly between the corners.
  const Array a = x.array();
  const Array inside = logical_and(a > -2.5, a < 2.5).astype(x.dtype());
  const Array outside = (a >= 2.5).astype(x.dtype());
  const Variable y = (x * 0.2 + 0.5) * Variable(inside, false) + Variable(outside, false);
  return composite("HardSigmoid", {&x}, y, [](NodeAttributes&) {});
}

}  // namespace chainer::functions
