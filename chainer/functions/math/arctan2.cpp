#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::functions {
namespace {

struct Arctan2Node : FunctionNode {
  std::string label() const override { return "arctan2"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x1", "x2"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype());
    type_check::expect_broadcast_shapes(in[0], in[1]);
  }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {chainer::arctan2(x[0], x[1])};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    auto [a, b] = retained_inputs<2>();
    const Variable g = gy[0] / (a * a + b * b);
    return {sum_to(g * b, a.shape()), sum_to(-(g * a), b.shape())};
  }
};

}  // namespace

Variable Arctan2::operator()(const Variable& x1, const Variable& x2) const {
  return apply_single(Arctan2Node(), x1, x2);
}

}  // namespace chainer::functions
