// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/affine_rows.h"
#include "chainer/functions/normalization/standardize.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable LayerNormalization::operator()(const Variable& x, const Variable& gamma, const Variable& beta,
                                        const LayerNormalizationOptions& o) const {
  if (are_narrow(x, gamma, beta)) return cast((*this)(widened(x), widened(gamma), widened(beta), o), x.dtype());
  type_check::check(
      "LayerNormalization", {x.array(), gamma.array(), beta.array()}, [](const type_check::TypeInfos& in) {
        in.names({"x", "gamma", "beta"});
        using type_check::expect;
        expect(in[0].dtype().kind() == 'f', in[0].ndim() == 2, in[1].ndim() == 1, in[1].dtype() == in[0].dtype());
        expect(in[2].dtype() == in[0].dtype(), in[1].shape() == in[2].shape(), in[1].shape(0) == in[0].shape(1));
      });
  return affine_rows("LayerNormalization", x, gamma, beta,
                     {.rows = x.shape(0), .groups = 1, .keys = x.shape(1), .run = 1, .eps = o.eps},
                     [eps = o.eps](const Variables& in) { return standardize(in[0], eps) * in[1] + in[2]; });
}

}  // namespace chainer::functions
