#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {

Variable SpatialTransformerSampler::operator()(const Variable& x, const Variable& grid) const {
  type_check::check("SpatialTransformerSampler", {x.array(), grid.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "grid"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype(), in[0].ndim() == 4, in[1].ndim() == 4);
    expect(in[1].shape(1) == 2, in[0].shape(0) == in[1].shape(0));
  });
  const int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2], w = x.shape()[3];
  const int64_t out_h = grid.shape()[2], out_w = grid.shape()[3];
  // One pixel of zeros around the image; channels last, so that a pixel is one row.
  const Variable padded = pad(x, {{0, 0}, {0, 0}, {1, 1}, {1, 1}}, "constant");
  const int64_t wide = w + 2;
  const Variable rows = transpose(padded, {0, 2, 3, 1}).reshape({n * (h + 2) * wide, c});

  // Coordinates of the padded image; beyond it they stay on its border, which is zero.
  const auto along = [&](int64_t axis, int64_t length) {
    const double half = static_cast<double>(length - 1) / 2;
    const Variable at = get_item(grid, {Slice(), axis}).reshape({n * out_h * out_w});
    return clip(at * half + (half + 1), 0, static_cast<double>(length + 1));
  };
  const Variable u = along(0, w), v = along(1, h);
  const auto corner = [](const Variable& at, int64_t length) {
    return chainer::minimum(chainer::floor(at.array()).astype(float64), static_cast<double>(length));
  };
  const Array u0 = corner(u, w), v0 = corner(v, h);
  const Variable du = u - u0.astype(u.dtype()), dv = v - v0.astype(v.dtype());       // in [0, 1]
  const Array image = chainer::repeat(arange(n) * ((h + 2) * wide), out_h * out_w);  // where each image begins
  const Array first = (v0 * static_cast<double>(wide) + u0).astype(int64) + image;
  const auto pixel = [&](int64_t offset, const Variable& weight) {
    return get_item(rows, {first + offset}) * expand_dims(weight, 1);
  };
  const Variable y =
      pixel(0, (1 - du) * (1 - dv)) + pixel(1, du * (1 - dv)) + pixel(wide, (1 - du) * dv) + pixel(wide + 1, du * dv);
  return transpose(y.reshape({n, out_h, out_w, c}), {0, 3, 1, 2});
}

}  // namespace chainer::functions
