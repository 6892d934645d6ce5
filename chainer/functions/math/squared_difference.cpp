// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable SquaredDifference::operator()(const Variable& x1, const Variable& x2) const {
  if (const auto y = in_mixed_precision(MixedPrecision::widest, *this, x1, x2)) return *y;
  type_check::check("SquaredDifference", {x1.array(), x2.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x1", "x2"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype(), in[0].shape() == in[1].shape());
  });
  return square(x1 - x2);
}

}  // namespace chainer::functions
