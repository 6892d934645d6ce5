#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/activation/lstm_gates.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variables Slstm::operator()(const Variable& c_prev1, const Variable& c_prev2, const Variable& x1,
                            const Variable& x2) const {
  type_check::check("SLSTM", {c_prev1.array(), c_prev2.array(), x1.array(), x2.array()},
                    [](const type_check::TypeInfos& in) {
                      in.names({"c_prev1", "c_prev2", "x1", "x2"});
                      check_cell(in, 0, 2, 4);
                      check_cell(in, 1, 3, 4);
                      type_check::expect(in[0].shape() == in[1].shape(), in[0].shape(0) == in[2].shape(0));
                      type_check::expect(in[2].shape() == in[3].shape());
                    });
  const Variables a = gates(x1, 4), b = gates(x2, 4);
  const Variable c =
      tanh(a[0]) * sigmoid(a[1]) + tanh(b[0]) * sigmoid(b[1]) + sigmoid(a[2]) * c_prev1 + sigmoid(b[2]) * c_prev2;
  return {c, sigmoid(a[3] + b[3]) * tanh(c)};
}

}  // namespace chainer::functions
