#include <algorithm>

#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

// The matrix (length, n) of linear interpolation between n elements whose first and last stay at the ends. One dense
// product is several times faster than gathering two neighbours an element.
Variable interpolation(int64_t n, int64_t length, Dtype dtype, const Device& device) {
  Array weights = zeros({length, n}, float64);
  double* w = weights.mutable_data<double>();
  for (int64_t i = 0; i < length; ++i) {
    const double at = length == 1 ? 0 : static_cast<double>(i * (n - 1)) / static_cast<double>(length - 1);
    const int64_t left = std::min(static_cast<int64_t>(at), std::max<int64_t>(n - 2, 0));
    w[i * n + left] += 1 - (at - static_cast<double>(left));
    if (left + 1 < n) w[i * n + left + 1] += at - static_cast<double>(left);
  }
  return Variable(weights.astype(dtype).to_device(device), false);
}

}  // namespace

Variable ResizeImages::operator()(const Variable& x, IntPair output_shape) const {
  type_check::check("ResizeImages", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4);
    type_check::expect(in[0].shape(2) > 0, in[0].shape(3) > 0);
  });
  if (output_shape.h < 1 || output_shape.w < 1)
    throw ValueError("resize_images: the output's height and width must be positive, they are ", output_shape.h,
                     " and ", output_shape.w);
  const int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2], w = x.shape()[3];
  Variable y = x;
  if (output_shape.w != w)
    y = matmul(y.reshape({n * c * h, w}), interpolation(w, output_shape.w, x.dtype(), x.device()), {.transb = true});
  y = y.reshape({n * c, h, output_shape.w});
  if (output_shape.h != h) y = matmul(interpolation(h, output_shape.h, x.dtype(), x.device()), y);
  return y.reshape({n, c, output_shape.h, output_shape.w});
}

}  // namespace chainer::functions
