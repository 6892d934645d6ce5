#include "chainer/autograd/function_node.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {
Variable covariance(const Variable& y, const Variable& z) {
  return matmul(y - mean(y, 0, {.keepdims = true}), z - mean(z, 0, {.keepdims = true}), {.transa = true}) /
         static_cast<double>(y.shape()[0]);
}
Variable reduced(const Variable& c, const std::string& reduce, std::string_view name) {
  if (reduce == "no") return c;
  if (reduce != "half_squared_sum")
    throw ValueError(name, ": only 'half_squared_sum' and 'no' are valid for 'reduce', not '", reduce, "'");
  return sum(square(c)) * 0.5;
}
}  // namespace

Variable CrossCovariance::operator()(const Variable& y, const Variable& z, const CovarianceOptions& o) const {
  type_check::check("CrossCovariance", {y.array(), z.array()}, [](const type_check::TypeInfos& in) {
    in.names({"y", "z"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype(), in[0].ndim() == 2, in[1].ndim() == 2);
    expect(in[0].shape(0) == in[1].shape(0));
  });
  return reduced(covariance(y, z), o.reduce, name);
}
Variable Decov::operator()(const Variable& h, const CovarianceOptions& o) const {
  type_check::check("DeCov", {h.array()}, [](const type_check::TypeInfos& in) {
    in.names({"h"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == 2);
  });
  // Between different units only.
  return reduced(covariance(h, h) * Variable(1 - eye(h.shape()[1], {}, 0, h.dtype()), false), o.reduce, name);
}

}  // namespace chainer::functions
