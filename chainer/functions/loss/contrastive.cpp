// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable Contrastive::operator()(const Variable& x0, const Variable& x1, const Variable& y,
                                 const ContrastiveOptions& o) const {
  if (are_narrow(x0, x1)) return (*this)(widened(x0), widened(x1), y, o);
  type_check::check("Contrastive", {x0.array(), x1.array(), y.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x0", "x1", "y"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[2].dtype().kind() == 'i');
    expect(in[0].shape() == in[1].shape(), in[0].ndim() == 2, in[2].ndim() == 1, in[0].shape(0) == in[2].shape(0));
    expect(in[0].shape(0) > 0);
  });
  if (!(o.margin > 0)) throw ValueError("contrastive: margin should be positive, not ", o.margin);
  const Variable squared = sum(square(x0 - x1), 1);
  // sqrt has no finite gradient at 0: for equal points it gets a tiny positive number, and the product with `apart` is
  // 0.
  const double tiny = x0.dtype() == float16 ? 0x1p-24 : 1e-14;
  const Variable apart = sign(squared);
  const Variable distance = sqrt(maximum(squared, Variable(full({}, tiny, x0.dtype(), x0.device()), false))) * apart;
  const Variable gap = relu(o.margin - distance);
  const Variable loss = where(cast(y, bool_), squared, square(gap)) * 0.5;
  return reduced(loss, o.reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
