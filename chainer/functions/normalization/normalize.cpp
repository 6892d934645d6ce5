// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable Normalize::operator()(const Variable& x, const NormalizeOptions& o) const {
  type_check::check("NormalizeL2", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
  });
  (void)o.axis.normalized(x.ndim(), "normalize");
  // Squares overflow and underflow in 16 bits.
  if (item_size(x.dtype()) == 2) return cast((*this)(cast(x, float32), o), x.dtype());
  // A vector of zeros stays zero and gets the gradient of a division by eps: the norm is not differentiable there.
  const Variable squared = sum(square(x), o.axis, {.keepdims = true});
  const Variable zero = 1 - sign(squared);  // 1 for such a vector, otherwise 0
  const Variable norm = sqrt(squared + zero) - zero;
  return x / (norm + o.eps);
}

}  // namespace chainer::functions
