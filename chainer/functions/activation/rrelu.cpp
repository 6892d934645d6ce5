// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise/draws.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {

Variable Rrelu::operator()(const Variable& x, double l, double u, const RreluOptions& o) const {
  type_check::check("RReLU", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
  });
  if (!(0 <= l && l < u && u < 1)) throw ValueError("rrelu: 0 <= l < u < 1 is needed, not l = ", l, " and u = ", u);
  Array r = o.r;
  if (!config().train)
    r = full(x.shape(), (l + u) / 2, x.dtype(), x.device());
  else if (!r)
    r = uniform_draws(l, u, x.shape(), x.dtype(), x.device());
  if (r.shape() != x.shape()) throw DimensionError("rrelu: r has shape ", r.shape(), ", x ", x.shape());
  if (o.return_r) *o.return_r = r;
  if (!CompositeRecorder::current) {
    const Array slope = chainer::where(x.array() >= 0, ones_like(x.array()), r.astype(x.dtype(), false));
    return x * Variable(slope, false);
  }
  // In functions only, since an export does not know arrays that depend on x.
  const Variable below =
      config().train ? x * Variable(r.astype(x.dtype(), false).to_device(x.device()), false) : x * ((l + u) / 2);
  return where(cast(relu(-sign(x)), bool_), below, x);
}

}  // namespace chainer::functions
