// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/loss/covariance.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable Decov::operator()(const Variable& h, const CovarianceOptions& o) const {
  if (are_narrow(h)) return (*this)(widened(h), o);
  type_check::check("DeCov", {h.array()}, [](const type_check::TypeInfos& in) {
    in.names({"h"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == 2);
  });
  // Covariances of different units only. where() drops the diagonal, which may be infinite.
  const Variable own(chainer::eye(h.shape()[1], {}, 0, Dtype::bool_).to_device(h.device()), false),
      zero(chainer::zeros({}, h.dtype()).to_device(h.device()), false);
  return reduce_covariance(functions::where(own, zero, covariance(h, h)), o.reduce);
}

}  // namespace chainer::functions
