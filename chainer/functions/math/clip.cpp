#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {
struct ClipNode : FunctionNode, Described {
  ClipNode(double l, double h) : lo(l), hi(h) {}
  std::string label() const override { return "Clip"; }
  void describe(NodeAttributes& a) const override { a("lo", lo)("hi", hi); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {chainer::clip(x[0], lo, hi)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    const Array x = retained_input(0).array();
    // Outside, 0 whatever arrives: an infinite gradient, too.
    const Variable inside((x > lo) & (x < hi), false), zero(zeros({}, x.dtype(), x.device()), false);
    return {where(inside, gy[0], zero)};
  }
  double lo, hi;
};
}  // namespace

Variable Clip::operator()(const Variable& x, double x_min, double x_max) const {
  if (!(x_min <= x_max)) throw ValueError("clip: x_min ", x_min, " must not exceed x_max ", x_max);
  return apply_single(ClipNode(x_min, x_max), x);
}

}  // namespace chainer::functions
