// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/mixed_precision.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/rows.h"

namespace chainer::functions {

Variable BatchL2NormSquared::operator()(const Variable& x) const {
  type_check::check("BatchL2NormSquared", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() >= 2);
  });
  return sum(square(rows_of(widened(x))), 1);
}

}  // namespace chainer::functions
