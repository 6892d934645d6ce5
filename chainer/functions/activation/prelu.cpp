#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {
// W with axes of length one before and behind, so that it broadcasts over x.
Variable extended(const Variable& W, const Variable& x) {
  Shape s = W.shape();
  s.insert(0, 1);
  while (s.ndim() < x.ndim()) s.push_back(1);
  return reshape(W, s);
}
}  // namespace

Variable Prelu::operator()(const Variable& x, const Variable& W) const {
  type_check::check("PReLUFunction", {x.array(), W.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "W"});
    using type_check::expect;
    const int n = in[1].array().ndim();
    expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[0].ndim() >= n + 1);
    expect(in[0].shape().slice(1, 1 + n) == in[1].shape());
  });
  const Array positive = (x.array() >= 0).astype(x.dtype());
  return x * Variable(positive, false) + x * Variable(1 - positive, false) * extended(W, x);
}

}  // namespace chainer::functions
