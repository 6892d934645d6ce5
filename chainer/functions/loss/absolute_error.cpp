// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable AbsoluteError::operator()(const Variable& x0, const Variable& x1) const {
  if (are_narrow(x0, x1)) return (*this)(widened(x0), widened(x1));
  type_check::check("AbsoluteError", {x0.array(), x1.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x0", "x1"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
    expect(in[0].dtype() == in[1].dtype(), in[0].shape() == in[1].shape());
  });
  return absolute(x0 - x1);
}

}  // namespace chainer::functions
