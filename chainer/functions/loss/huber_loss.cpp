#include "chainer/autograd/function_node.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable HuberLoss::operator()(const Variable& x, const Variable& t, double delta, const HuberLossOptions& o) const {
  type_check::check("HuberLoss", {x.array(), t.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "t"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
    expect(in[0].dtype() == in[1].dtype(), in[0].shape() == in[1].shape());
  });
  // With d clipped to delta: d_clipped (d - d_clipped / 2), which is d^2 / 2 inside and linear outside.
  const Variable d = x - t, inside = clip(d, -delta, delta);
  const Variable loss = inside * (d - inside * 0.5);
  return o.reduce == HuberReduction::no ? loss : sum(loss, 1);
}

}  // namespace chainer::functions
