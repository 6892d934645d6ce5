#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {
namespace {
// beta with axes of length one before and behind, so that it broadcasts over x.
Variable extended(const Variable& beta, const Variable& x) {
  Shape s = beta.shape();
  s.insert(0, 1);
  while (s.ndim() < x.ndim()) s.push_back(1);
  return reshape(beta, s);
}
}  // namespace

Variable Swish::operator()(const Variable& x, const Variable& beta) const {
  type_check::check("Swish", {x.array(), beta.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "beta"});
    using type_check::expect;
    const int n = in[1].array().ndim();
    expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[0].ndim() >= n + 1);
    expect(in[0].shape().slice(1, 1 + n) == in[1].shape());
  });
  return x * sigmoid(extended(beta, x) * x);
}

}  // namespace chainer::functions
