// SPDX-License-Identifier: MIT
// max_pooling_nd and its ranks 1d, 2d, 3d.
#include "chainer/array/backend.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/pooling.h"
#include "chainer/functions/pooling/windows.h"

namespace chainer::functions {
namespace {

// The gradient is linear in gy: each element goes to the position of its window's maximum.
struct MaxPoolingNode : FunctionNode, Described {
  MaxPoolingNode(const char* l, const PoolingPlan& p, const Array& x, bool wanted, Array* out)
      : name(l), plan(p), order(x), places_wanted(wanted), indices(out) {}
  std::string label() const override { return name; }
  void describe(NodeAttributes& a) const override { a("plan", plan); }
  Arrays forward(const Arrays& in) override {
    const Array x = order.take(in[0], compute_dtype(in[0].dtype()));
    Array y = order.blank(plan.out, x.dtype(), x.device());
    if (places_wanted || indices) places = order.blank(plan.out, int32, x.device());
    if (y.size()) y.device().backend().pooling(Pooling::max, plan, x, y, places ? &places : nullptr);
    if (indices) *indices = order.images(places, int64);
    return {order.images(y, in[0].dtype())};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {window_pick(name + "Grad", Pooling::scatter, plan, places, order, gy[0])};
  }
  std::string name;
  PoolingPlan plan;
  ImageOrder order;
  bool places_wanted;
  Array* indices;
  Array places;
};

Variable largest(std::string_view function, const char* label, int axes, const Variable& x, const PerAxis& ksize,
                 const MaxPoolingOptions& o) {
  check_images(label, x, axes);
  const PoolingPlan plan = pooling_plan(function, x.shape(), ksize, o.stride, o.pad, o.cover_all);
  const Variable* input = &x;
  return apply_single(MaxPoolingNode(label, plan, x.array(), wants_node(&input, 1), o.return_indices), x);
}

}  // namespace

Variable MaxPoolingND::operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& o) const {
  return largest(name, "MaxPoolingND", 0, x, ksize, o);
}
Variable MaxPooling1D::operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& o) const {
  return largest(name, "MaxPoolingND", 1, x, ksize, o);
}
Variable MaxPooling2D::operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& o) const {
  return largest(name, "MaxPooling2D", 2, x, ksize, o);
}
Variable MaxPooling3D::operator()(const Variable& x, const PerAxis& ksize, const MaxPoolingOptions& o) const {
  return largest(name, "MaxPoolingND", 3, x, ksize, o);
}

}  // namespace chainer::functions
