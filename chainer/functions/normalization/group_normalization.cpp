// SPDX-License-Identifier: MIT
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/affine_rows.h"
#include "chainer/functions/normalization/standardize.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable GroupNormalization::operator()(const Variable& x, int64_t groups, const Variable& gamma, const Variable& beta,
                                        const LayerNormalizationOptions& o) const {
  if (are_narrow(x, gamma, beta)) return cast((*this)(widened(x), groups, widened(gamma), widened(beta), o), x.dtype());
  if (x.ndim() <= 1) throw ValueError("group_normalization: x must have at least two axes, not ", x.ndim());
  type_check::check(
      "GroupNormalization", {x.array(), gamma.array(), beta.array()}, [](const type_check::TypeInfos& in) {
        in.names({"x", "gamma", "beta"});
        using type_check::expect;
        expect(in[0].dtype().kind() == 'f', in[1].ndim() == 1, in[1].dtype() == in[0].dtype());
        expect(in[2].dtype() == in[0].dtype(), in[1].shape() == in[2].shape(), in[1].shape(0) == in[0].shape(1));
      });
  if (groups < 1) throw TypeError("group_normalization: groups must be positive, not ", groups);
  const int64_t n = x.shape()[0], channels = x.shape()[1];
  if (channels % groups != 0)
    throw ValueError("group_normalization: ", groups, " groups do not divide ", channels, " channels");
  int64_t length = channels / groups;  // number of elements that are standardized together
  for (int d = 2; d < x.ndim(); ++d) length *= x.shape()[d];
  Shape wide = Shape(Dims::filled(x.ndim(), 1));
  wide[1] = channels;
  const auto composed = [=, eps = o.eps](const Variables& in) {
    const Variable rows = standardize(reshape(in[0], {n * groups, length}), eps);
    return reshape(rows, in[0].shape()) * reshape(in[1], wide) + reshape(in[2], wide);
  };
  const int64_t keys = channels / groups, run = keys ? length / keys : 0;
  return affine_rows("GroupNormalization", x, gamma, beta,
                     {.rows = n * groups, .groups = groups, .keys = keys, .run = run, .eps = o.eps}, composed);
}

}  // namespace chainer::functions
