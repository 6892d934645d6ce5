// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/square_matrices.h"

namespace chainer::functions {

Variable Det::operator()(const Variable& a) const {
  type_check::check("Det", {a.array()}, [](const type_check::TypeInfos& in) { expect_square_matrices(in, 2); });
  return batch_det(expand_dims(a, 0)).reshape({});
}

}  // namespace chainer::functions
