// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable LinearInterpolate::operator()(const Variable& p, const Variable& x, const Variable& y) const {
  if (const auto z = in_mixed_precision(MixedPrecision::widest, *this, p, x, y)) return *z;
  type_check::check("LinearInterpolate", {p.array(), x.array(), y.array()}, [](const type_check::TypeInfos& in) {
    in.names({"p", "x", "y"});
    type_check::expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[2].dtype() == in[0].dtype());
    type_check::expect(in[1].shape() == in[0].shape(), in[2].shape() == in[0].shape());
  });
  return p * x + (1 - p) * y;
}

}  // namespace chainer::functions
