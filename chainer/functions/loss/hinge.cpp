// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/label_positions.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable Hinge::operator()(const Variable& x, const Variable& t, const HingeOptions& o) const {
  if (are_narrow(x)) return (*this)(widened(x), t, o);
  type_check::check("Hinge", {x.array(), t.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "t"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[0].ndim() == 2, in[1].ndim() == 1);
    expect(in[0].shape(0) == in[1].shape(0));
  });
  if (o.reduce != Reduction::mean && o.reduce != Reduction::no)
    throw ValueError("hinge: only 'mean' and 'no' are valid for 'reduce'");
  // Sums of squares, and of more than 65,504 losses, overflow float16.
  if (o.reduce == Reduction::mean && item_size(x.dtype()) == 2) return cast((*this)(cast(x, float32), t, o), x.dtype());
  // The score of the correct label lowers the loss, the other scores raise it.
  Array sign = full(Shape{x.size()}, 1, x.dtype(), x.device());
  const Array correct = label_positions<Hinge>(t.array().to_device(x.device()), x.shape()[1]);
  const Array minus_one = full(correct.shape(), -1, x.dtype(), x.device());
  x.device().backend().scatter_rows(sign, correct, minus_one, false);
  sign = sign.reshape(x.shape());
  Variable loss = relu(1 + x * Variable(sign, false));
  if (o.norm == HingeNorm::L2) loss = square(loss);
  return o.reduce == Reduction::no ? loss : sum(loss) / static_cast<double>(x.shape()[0]);
}

}  // namespace chainer::functions
