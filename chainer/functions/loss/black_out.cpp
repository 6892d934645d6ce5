#include "chainer/autograd/function_node.h"
#include "chainer/autograd/insist.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/loss/labels_and_samples.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/loss/rows_dot.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable BlackOut::operator()(const Variable& x, const Variable& t, const Variable& W, const Variable& samples,
                              Reduction reduce) const {
  type_check::check_always(
      "BlackOut", {x.array(), t.array(), W.array(), samples.array()}, [](const type_check::TypeInfos& in) {
        in.names({"x", "t", "W", "samples"});
        using type_check::expect;
        expect(in[0].dtype().kind() == 'f', in[0].ndim() == 2, in[1].dtype().kind() == 'i', in[1].ndim() == 1);
        expect(in[0].shape(0) == in[1].shape(0), in[2].dtype() == in[0].dtype(), in[2].ndim() == 2);
        expect(in[2].shape(1) == in[0].shape(1), in[3].dtype().kind() == 'i', in[3].ndim() == 2);
        expect(in[3].shape(0) == in[0].shape(0));
      });
  bool ignored = false;
  const Array index = labels_and_samples(t.array(), samples.array(), W.shape()[0], name, &ignored);
  const Variable scores = rows_dot(x, W, index);
  const Variable log_p = scores - expand_dims(logsumexp(scores, 1), 1);
  // log(1 - p) through expm1: p may be near 0 or 1
  const Variable rest = sum(log(-expm1(pick(log_p, Slice(1, std::nullopt), 1))), 1);
  Variable loss = -(pick(log_p, 0, 1) + rest);
  if (ignored) loss = loss * not_equal(t.array(), -1).astype(x.dtype());
  return reduced(loss, reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
