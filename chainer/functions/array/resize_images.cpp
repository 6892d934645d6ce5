#include <algorithm>
#include <cmath>

#include "chainer/autograd/function_node.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/im2col.h"

namespace chainer::functions {
namespace {

// Linear interpolation along an axis, the first and last elements staying at the ends.
Variable resized(const Variable& x, int axis, int64_t length) {
  const int64_t n = x.shape()[axis];
  if (n == length) return x;
  std::vector<int64_t> left, right;
  std::vector<double> weight;
  for (int64_t i = 0; i < length; ++i) {
    const double at =
        length == 1 ? 0 : static_cast<double>(i) * static_cast<double>(n - 1) / static_cast<double>(length - 1);
    left.push_back(std::min(static_cast<int64_t>(at), std::max<int64_t>(n - 2, 0)));
    right.push_back(std::min(left.back() + 1, n - 1));
    weight.push_back(at - static_cast<double>(left.back()));
  }
  Shape shape = {length};
  while (shape.ndim() < x.ndim() - axis) shape.push_back(1);
  const Array w = array(weight, shape).astype(x.dtype());
  const Variable a = pick(x, array(left, Shape{length}), axis), b = pick(x, array(right, Shape{length}), axis);
  return a + (b - a) * w;
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
  return resized(resized(x, 2, output_shape.h), 3, output_shape.w);
}

}  // namespace chainer::functions
