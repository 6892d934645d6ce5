// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/loss/covariance.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
Variable CrossCovariance::operator()(const Variable& y, const Variable& z, const CovarianceOptions& o) const {
  if (are_narrow(y, z)) return (*this)(widened(y), widened(z), o);
  type_check::check("CrossCovariance", {y.array(), z.array()}, [](const type_check::TypeInfos& in) {
    in.names({"y", "z"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype(), in[0].ndim() == 2, in[1].ndim() == 2);
    expect(in[0].shape(0) == in[1].shape(0));
  });
  return reduce_covariance(covariance(y, z), o.reduce);
}

}  // namespace chainer::functions
