// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/noise/draws.h"
#include "chainer/functions/rows.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {

Variable SimplifiedDropconnect::operator()(const Variable& x, const Variable& W, const Variable& b,
                                           const SimplifiedDropconnectOptions& o) const {
  if (mixed(x, W, b))
    return in_dtype_of_x("simplified_dropconnect", x, W, b, [&](auto&&... in) { return (*this)(in..., o); });
  type_check::check("SimplifiedDropconnect", {x.array(), W.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "W"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'f', in[0].ndim() >= 2, in[1].ndim() == 2);
    expect(type_check::prod(in[0].shape().slice(1)) == in[1].shape(1));
  });
  if (!(o.ratio >= 0 && o.ratio < 1))
    throw ValueError("simplified_dropconnect: ratio must be in [0, 1), not ", o.ratio);
  const Variable rows = x.ndim() > 2 ? rows_of(x) : x;
  if (!config().train || !o.train) return linear(rows, W, b);
  Array mask = o.mask;
  if (!mask) {
    Shape s = W.shape();
    if (o.use_batchwise_mask) s.insert(0, rows.shape()[0]);
    mask = kept_draws(o.ratio, s, W.dtype(), W.device());
  }
  mask = mask.to_device(W.device());
  const Variable kept = W * Variable(mask.astype(W.dtype(), false) * (1 / (1 - o.ratio)), false);
  if (mask.ndim() == 2) return linear(rows, kept, b);
  const Variable y = squeeze(matmul(kept, expand_dims(rows, 2)), 2);
  return b ? y + b : y;
}

}  // namespace chainer::functions
