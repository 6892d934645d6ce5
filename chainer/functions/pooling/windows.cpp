// SPDX-License-Identifier: MIT
#include "chainer/functions/pooling/windows.h"

#include "chainer/array/backend.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/routines/im2col.h"

namespace chainer::functions {
namespace {

struct WindowSum : FunctionNode, Described {
  WindowSum(std::string l, Pooling o, const PoolingPlan& p) : name(std::move(l)), op(o), plan(p) {}
  std::string label() const override { return name; }
  void describe(NodeAttributes& a) const override { a("op", op)("plan", plan); }
  Arrays forward(const Arrays& in) override {
    const ImageOrder order(in[0]);
    const Array x = order.take(in[0], compute_dtype(in[0].dtype()));
    Array y = order.blank(op == Pooling::sum ? plan.out : plan.size, x.dtype(), x.device());
    if (y.size()) y.device().backend().pooling(op, plan, x, y, nullptr);
    return {order.images(y, in[0].dtype())};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {window_sum(name + "Grad", op == Pooling::sum ? Pooling::spread : Pooling::sum, plan, gy[0])};
  }
  std::string name;
  Pooling op;
  PoolingPlan plan;
};

struct WindowPick : FunctionNode {
  WindowPick(std::string l, Pooling o, const PoolingPlan& p, Array at, const ImageOrder& i)
      : name(std::move(l)), op(o), plan(p), places(std::move(at)), order(i) {}
  std::string label() const override { return name; }
  Arrays forward(const Arrays& in) override {
    const Array x = order.take(in[0], compute_dtype(in[0].dtype()));
    Array y = order.blank(op == Pooling::gather ? plan.out : plan.size, x.dtype(), x.device());
    if (y.size()) y.device().backend().pooling(op, plan, x, y, &places);
    return {order.images(y, in[0].dtype())};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {window_pick(name + "Grad", op == Pooling::gather ? Pooling::scatter : Pooling::gather, plan, places, order,
                        gy[0])};
  }
  std::string name;
  Pooling op;
  PoolingPlan plan;
  Array places;
  ImageOrder order;
};

// Sizes, strides and paddings for each axis.
PoolingPlan numbers(std::string_view function, const Shape& x, const PerAxis& ksize, const PerAxis& stride,
                    const PerAxis& pad) {
  const int axes = x.ndim() - 2;
  if (axes < 1) throw DimensionError(function, ": images (N, C, spatial...) are needed, not shape ", x);
  PoolingPlan p;
  p.ksize = ksize.on(axes, text(function, ": ksize"));
  p.stride = stride.given() ? stride.on(axes, text(function, ": stride")) : p.ksize;
  p.pad = pad.on(axes, text(function, ": pad"));
  double volume = 1;
  for (int d = 0; d < axes; ++d) {
    volume *= static_cast<double>(p.ksize[d]);
    if (p.ksize[d] < 1 || p.stride[d] < 1 || p.pad[d] < 0)
      throw ValueError(function, ": ksize ", p.ksize, " and stride ", p.stride, " must be positive, pad ", p.pad,
                       " not negative");
  }
  if (volume > 0x7fffffff) throw ValueError(function, ": windows of ", p.ksize, " have more than 2^31 elements");
  return p;
}

Dims spatial(const Shape& x) { return Dims(x.begin() + 2, x.end()); }

}  // namespace

void check_images(const char* label, const Variable& x, int axes) {
  type_check::check(label, {x.array()}, [axes](const type_check::TypeInfos& in) {
    in.names({"x"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
    if (axes)
      expect(in[0].ndim() == 2 + axes);
    else
      expect(in[0].ndim() > 2);
  });
}

PoolingPlan pooling_plan(std::string_view function, const Shape& x, const PerAxis& ksize, const PerAxis& stride,
                         const PerAxis& pad, bool cover_all) {
  PoolingPlan p = numbers(function, x, ksize, stride, pad);
  p.size = spatial(x);
  for (int d = 0; d < p.size.ndim(); ++d) {
    p.out.push_back(utils::get_conv_outsize(p.size[d], p.ksize[d], p.stride[d], p.pad[d], cover_all));
    if (p.size[d] < 1 || p.out[d] < 1)
      throw DimensionError(function, ": no window fits: input ", p.size, ", ksize ", p.ksize, ", stride ", p.stride,
                           ", pad ", p.pad);
  }
  return p;
}

PoolingPlan unpooling_plan(std::string_view function, const Shape& x, const PerAxis& ksize, const PerAxis& stride,
                           const PerAxis& pad, const PerAxis& outsize, bool cover_all) {
  PoolingPlan p = numbers(function, x, ksize, stride, pad);
  p.out = spatial(x);
  if (outsize.given()) p.size = outsize.on(p.out.ndim(), text(function, ": outsize"));
  for (int d = 0; d < p.out.ndim(); ++d) {
    if (!outsize.given())
      p.size.push_back(utils::get_deconv_outsize(p.out[d], p.ksize[d], p.stride[d], p.pad[d], cover_all));
    else if (utils::get_conv_outsize(p.size[d], p.ksize[d], p.stride[d], p.pad[d], cover_all) != p.out[d])
      throw DimensionError(function, ": pooling images of outsize ", p.size, " with ksize ", p.ksize, ", stride ",
                           p.stride, ", pad ", p.pad, " does not give the input ", p.out);
    if (p.size[d] < 1 || p.out[d] < 1)
      throw DimensionError(function, ": no image has these windows: input ", p.out, ", ksize ", p.ksize, ", stride ",
                           p.stride, ", pad ", p.pad);
  }
  return p;
}

Variable window_sum(std::string label, Pooling op, const PoolingPlan& plan, const Variable& x) {
  return apply_single(WindowSum(std::move(label), op, plan), x);
}
Variable window_pick(std::string label, Pooling op, const PoolingPlan& plan, const Array& places,
                     const ImageOrder& order, const Variable& x) {
  return apply_single(WindowPick(std::move(label), op, plan, places, order), x);
}

}  // namespace chainer::functions
