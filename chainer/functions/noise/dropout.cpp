// SPDX-License-Identifier: MIT
#include "chainer/array/order.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/random.h"

namespace chainer::functions {
namespace {
// x times a mask of factors; linear in x.
struct DropoutNode : FunctionNode {
  explicit DropoutNode(Array m) : mask(std::move(m)) {}
  std::string label() const override { return "Dropout"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x"});
    type_check::expect_floating(in[0]);
  }
  Arrays forward(const Arrays& x) override { return {x[0] * mask}; }
  Variables backward(const Indexes&, const Variables& gy) override { return {apply_single(DropoutNode(mask), gy[0])}; }
  Array mask;
};
}  // namespace

Variable Dropout::operator()(const Variable& x, double ratio, const DropoutOptions& o) const {
  if (!(ratio >= 0 && ratio < 1)) throw ValueError("dropout: ratio must be in [0, 1), not ", ratio);
  if (!config().train) {
    if (o.return_mask) *o.return_mask = Array();
    return x;
  }
  if (ratio == 0 && !o.mask && !o.return_mask && is_floating(x.dtype())) return x;  // all factors are 1
  Array mask = o.mask;
  if (!mask)
    mask = random::bulk(RandomFill::bernoulli, 1 - ratio, 1 / (1 - ratio), x.shape(), x.dtype(), x.device(),
                        memory_order(x.array()));
  if (mask.shape() != x.shape())
    throw DimensionError("dropout: mask of shape ", mask.shape(), " for x of shape ", x.shape());
  if (o.return_mask) *o.return_mask = mask;
  return apply_single(DropoutNode(mask), x);
}

}  // namespace chainer::functions
