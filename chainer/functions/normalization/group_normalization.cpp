#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/normalization/standardize.h"

namespace chainer::functions {

Variable GroupNormalization::operator()(const Variable& x, int64_t groups, const Variable& gamma, const Variable& beta,
                                        const LayerNormalizationOptions& o) const {
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
  int64_t length = channels / groups;  // of what is standardized together
  for (int d = 2; d < x.ndim(); ++d) length *= x.shape()[d];
  Shape wide = Shape(Dims::filled(x.ndim(), 1));
  wide[1] = channels;
  const Variable normalized = reshape(standardize(reshape(x, {n * groups, length}), o.eps), x.shape());
  return normalized * reshape(gamma, wide) + reshape(beta, wide);
}

}  // namespace chainer::functions
