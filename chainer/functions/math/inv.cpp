// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/math/square_matrices.h"

namespace chainer::functions {

Variable Inv::operator()(const Variable& a) const {
  type_check::check("Inv", {a.array()}, [](const type_check::TypeInfos& in) { expect_square_matrices(in, 2); });
  return batch_inv(expand_dims(a, 0)).reshape(a.shape());
}

}  // namespace chainer::functions
