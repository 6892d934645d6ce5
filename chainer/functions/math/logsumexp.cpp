// SPDX-License-Identifier: MIT
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

Variable Logsumexp::operator()(const Variable& x, const Axes& axis) const {
  type_check::check("LogSumExp", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  });
  // Subtracting the largest element prevents overflow. If it is infinite, exp and log give the right result without
  // that.
  const Array top = chainer::max(x.array(), axis, true);
  const Variable shift(chainer::where(isfinite(top), top, zeros_like(top)), false);
  const Variable y = log(sum(exp(x - shift), axis));
  return composite("LogSumExp", {&x}, y + shift.array().reshape(y.shape()),
                   [&](NodeAttributes& a) { a("axes", axis); });
}

}  // namespace chainer::functions
