// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/host_kernels/spatial_transformer.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

struct Sizes {
  int64_t n, c, h, w, out_h, out_w;
  Sizes(const Shape& x, const Shape& grid) : n(x[0]), c(x[1]), h(x[2]), w(x[3]), out_h(grid[2]), out_w(grid[3]) {}
};

// Built of differentiable functions: used for gradients that need a graph.
Variable composed(const Variable& x, const Variable& grid) {
  if (item_size(x.dtype()) == 2) return cast(composed(cast(x, float32), cast(grid, float32)), x.dtype());
  const Sizes s(x.shape(), grid.shape());
  const int64_t n = s.n, c = s.c, h = s.h, w = s.w, out_h = s.out_h, out_w = s.out_w;
  // Padded with one pixel of zeros; channels last, so that a pixel is one row.
  const Variable padded = pad(x, {{0, 0}, {0, 0}, {1, 1}, {1, 1}}, "constant");
  const int64_t wide = w + 2;
  const Variable rows = transpose(padded, {0, 2, 3, 1}).reshape({n * (h + 2) * wide, c});

  // Coordinates in the padded image; outside ones are clipped to its border, which is zero.
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
  const Array image = chainer::repeat(arange(n) * ((h + 2) * wide), out_h * out_w);  // index of each image's first row
  const Array first = (v0 * static_cast<double>(wide) + u0).astype(int64) + image;
  const auto pixel = [&](int64_t offset, const Variable& weight) {
    return get_item(rows, {first + offset}) * expand_dims(weight, 1);
  };
  const Variable y =
      pixel(0, (1 - du) * (1 - dv)) + pixel(1, du * (1 - dv)) + pixel(wide, (1 - du) * dv) + pixel(wide + 1, du * dv);
  return transpose(y.reshape({n, out_h, out_w, c}), {0, 3, 1, 2});
}

// The forward pass and the first gradient: by the host's kernel, elsewhere composed.
struct SamplerNode : FunctionNode {
  std::string label() const override { return "SpatialTransformerSampler"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x", "grid"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype(), in[0].ndim() == 4, in[1].ndim() == 4);
    expect(in[1].shape(1) == 2, in[0].shape(0) == in[1].shape(0));
  }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    if (in[0].device().is_host()) return {sampled(in[0], in[1])};
    const UsingConfig no_graph(&Config::enable_backprop, false);
    return {composed(Variable(in[0], false), Variable(in[1], false)).array()};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    auto [x, grid] = retained_inputs<2>();
    if (config().enable_backprop || !x.device().is_host())
      return partial_gradients([](const Variables& in) { return Variables{composed(in[0], in[1])}; }, {x, grid}, wanted,
                               gy);
    const Arrays g = gradients(x.array(), grid.array(), gy[0].array());
    return {Variable(g[0], false), Variable(g[1], false)};
  }

 private:
  static Array sampled(const Array& images, const Array& points) {
    const Dtype d = compute_dtype(images.dtype());
    const Array x = dense(images, d), grid = dense(points, d);
    Array y = zeros({x.shape()[0], x.shape()[1], grid.shape()[2], grid.shape()[3]}, d);
    host_kernels::sample_bilinear(x, grid, y);
    return y.astype(images.dtype(), false);
  }
  static Arrays gradients(const Array& images, const Array& grid, const Array& gy) {
    const Dtype d = compute_dtype(images.dtype());
    const Array x = dense(images, d), points = dense(grid, d), g = dense(gy, d);
    Array gx = zeros(x.shape(), d), ggrid = zeros(points.shape(), d);
    host_kernels::sample_bilinear_grad(x, points, g, gx, ggrid);
    return {gx.astype(images.dtype(), false), ggrid.astype(images.dtype(), false)};
  }
};

}  // namespace

Variable SpatialTransformerSampler::operator()(const Variable& x, const Variable& grid) const {
  return apply_single(SamplerNode(), x, grid);
}

}  // namespace chainer::functions
