#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable Maxout::operator()(const Variable& x, int64_t pool_size, int64_t axis) const {
  if (pool_size <= 0) throw ValueError("maxout: pool_size must be a positive integer, not ", pool_size);
  const int d = normalize_axis(axis, x.ndim(), "maxout");
  if (x.shape()[d] % pool_size != 0)
    throw InvalidType("x.shape()[axis] % pool_size == 0",
                      text("x.shape()[axis]=", x.shape()[d], ", pool_size=", pool_size),
                      "axis dimension must be divided by pool_size");
  Shape s = x.shape();
  s[d] /= pool_size;
  s.insert(d + 1, pool_size);
  return max(reshape(x, s), d + 1);
}

}  // namespace chainer::functions
