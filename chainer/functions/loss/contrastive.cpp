#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable Contrastive::operator()(const Variable& x0, const Variable& x1, const Variable& y,
                                 const ContrastiveOptions& o) const {
  type_check::check("Contrastive", {x0.array(), x1.array(), y.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x0", "x1", "y"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[2].dtype().kind() == 'i');
    expect(in[0].shape() == in[1].shape(), in[0].ndim() == 2, in[2].ndim() == 1, in[0].shape(0) == in[2].shape(0));
    expect(in[0].shape(0) > 0);
  });
  if (!(o.margin > 0)) throw ValueError("contrastive: margin should be positive, not ", o.margin);
  const Variable squared = sum(square(x0 - x1), 1);
  const Array alike = y.array().astype(x0.dtype()), apart = 1 - alike;
  // (the distance of equal points has no gradient: it is taken from a tiny one)
  const Variable distance = sqrt(maximum(squared, Variable(full({}, 1e-14, x0.dtype(), x0.device()), false)));
  const Variable gap = relu(o.margin - distance);
  const Variable loss = (squared * Variable(alike, false) + square(gap) * Variable(apart, false)) * 0.5;
  return reduced(loss, o.reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
