// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/routines/random.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable Gaussian::operator()(const Variable& mean, const Variable& ln_var, const GaussianOptions& o) const {
  if (are_narrow(mean, ln_var)) return (*this)(widened(mean), widened(ln_var), o);
  type_check::check("Gaussian", {mean.array(), ln_var.array()}, [](const type_check::TypeInfos& in) {
    in.names({"mean", "ln_var"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
    expect(in[0].dtype() == in[1].dtype(), in[0].shape() == in[1].shape());
  });
  const Array eps = o.eps ? o.eps.to_device(mean.device())
                          : random::bulk(RandomFill::normal, 0, 1, mean.shape(), mean.dtype(), mean.device());
  if (eps.shape() != mean.shape())
    throw DimensionError("gaussian: eps has shape ", eps.shape(), ", mean ", mean.shape());
  if (o.return_eps) *o.return_eps = eps;
  return mean + exp(ln_var * 0.5) * Variable(eps.astype(mean.dtype(), false), false);
}

}  // namespace chainer::functions
