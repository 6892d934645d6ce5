// SPDX-License-Identifier: MIT
#include <limits>

#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/loss/labels_and_samples.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/loss/rows_dot.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

Variable BlackOut::operator()(const Variable& x, const Variable& t, const Variable& W, const Variable& samples,
                              Reduction reduce) const {
  if (are_narrow(x, W)) return (*this)(widened(x), t, widened(W), samples, reduce);
  type_check::check(
      "BlackOut", {x.array(), t.array(), W.array(), samples.array()}, [](const type_check::TypeInfos& in) {
        in.names({"x", "t", "W", "samples"});
        using type_check::expect;
        expect(in[0].dtype().kind() == 'f', in[0].ndim() == 2, in[1].dtype().kind() == 'i', in[1].ndim() == 1);
        expect(in[0].shape(0) == in[1].shape(0), in[2].dtype().kind() == 'f', in[2].ndim() == 2);
        expect(in[2].shape(1) == in[0].shape(1), in[3].dtype().kind() == 'i', in[3].ndim() == 2);
        expect(in[3].shape(0) == in[0].shape(0));
      });
  if (mixed(x, W)) {
    const Dtype wide = promote(x.dtype(), W.dtype());
    return (*this)(cast(x, wide), t, cast(W, wide), samples, reduce);
  }
  bool ignored = false;
  const Array index = labels_and_samples(t.array(), samples.array(), W.shape()[0], name, &ignored);
  const Variable scores = rows_dot(x, W, index);
  const Variable total = expand_dims(logsumexp(scores, 1), 1), log_p = scores - total;
  // log(1 - p). p may be 1 for the largest, so there it comes from the other scores; elsewhere from expm1.
  const Shape shape = scores.shape();
  const Array at = chainer::argmax(scores.array(), 1).reshape({shape[0], 1});
  const Array largest = equal(arange(shape[1]).to_device(x.device()).reshape({1, shape[1]}), at);
  const auto fixed = [&](double value) { return Variable(full({}, value, x.dtype(), x.device()), false); };
  const Variable is_largest(largest, false);
  const Variable others =
      expand_dims(logsumexp(where(is_largest, fixed(-std::numeric_limits<double>::infinity()), scores), 1), 1) - total;
  const Variable below = log(-expm1(where(is_largest, fixed(-1), log_p)));
  const Variable rest = sum(pick(where(is_largest, broadcast_to(others, shape), below), Slice(1, std::nullopt), 1), 1);
  Variable loss = -(pick(log_p, 0, 1) + rest);
  if (ignored) loss = loss * not_equal(t.array(), -1).astype(x.dtype());
  return reduced(loss, reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
