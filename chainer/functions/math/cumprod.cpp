// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/host_kernels/cumprod.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

// y[0] = b[0], y[i] = a[i] y[i - 1] + b[i] along axis 0. Its gradient is the same recurrence, backward.
struct Recurrence : FunctionNode {
  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    retain_outputs({0});
    const Array &a = in[0], &b = in[1];
    Array y = b.copy();
    for (int64_t i = 1; i < len(y); ++i) y.set(i, a[i] * y[i - 1] + b[i]);
    return {y};
  }
  Variables backward(const Indexes&, const Variables& gy) override;
};

Variable recurrence(const Variable& a, const Variable& b) { return apply_single(Recurrence(), a, b); }
// x shifted by one along axis 0, with zeros in front.
Variable later(const Variable& x) { return concat({zeros_like(x.array()[Slice(0, 1)]), x[Slice(0, -1)]}, 0); }

Variables Recurrence::backward(const Indexes&, const Variables& gy) {
  const Variable a = retained_input(0), y = retained_output(0);
  // gb[i] = gy[i] + a[i + 1] gb[i + 1]: the same recurrence in reverse order, with the factors one place later.
  const Variable gb = flip(recurrence(later(flip(a, 0)), flip(gy[0], 0)), 0);
  return {gb * later(y), gb};
}

// Built of differentiable functions: used for gradients that need a graph.
Variable composed(const Variable& x, int64_t axis) {
  const Variable first = moveaxis(x, axis, 0);
  const Variable start = concat({first[Slice(0, 1)], zeros_like(first.array()[Slice(1, std::nullopt)])}, 0);
  return moveaxis(recurrence(first, start), 0, axis);
}

struct CumprodNode : FunctionNode, Described {
  explicit CumprodNode(int64_t d) : axis(d) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return "Cumprod"; }
  void describe(NodeAttributes& a) const override { a("axis", axis); }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    retain_outputs({0});
    return {chainer::cumprod(x[0], axis)};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variable x = retained_input(0);
    const Dtype d = x.dtype();
    if (config().enable_backprop || (d != Dtype::float32 && d != Dtype::float64))
      return partial_gradients([&](const Variables& in) { return Variables{composed(in[0], axis)}; }, {x}, wanted, gy);
    return {Variable(first_gradient(x.array(), retained_output(0).array(), gy[0].array()), false)};
  }
  Array first_gradient(const Array& x, const Array& y, const Array& gy) const {
    const Array in = x.contiguous(), out = y.contiguous(), g = gy.contiguous();
    Array gx(x.shape(), x.dtype(), x.device());
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < axis; ++i) outer *= x.shape()[i];
    for (int i = static_cast<int>(axis) + 1; i < x.ndim(); ++i) inner *= x.shape()[i];
    if (x.device().is_host())
      host_kernels::cumprod_grad(in, out, g, gx, outer, x.shape()[axis], inner);
    else if (!x.device().backend().cumprod_grad(in, out, g, gx, outer, x.shape()[axis], inner))
      return through_host([&](const Array& a, const Array& b, const Array& c) { return first_gradient(a, b, c); }, x, y,
                          gy);
    return gx;
  }
  int64_t axis;
};

}  // namespace

Variable Cumprod::operator()(const Variable& x, std::optional<int64_t> axis) const {
  type_check::check("Cumprod", {x.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  });
  if (!axis) return cumprod(flatten(x), 0);
  if (x.size() == 0) return identity(x);
  return apply_single(CumprodNode(normalize_axis(*axis, x.ndim(), "cumprod")), x);
}

}  // namespace chainer::functions
