// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/exclusive.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/joined_products.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/rows.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

// Up to this many rows, adding the product for the weights' gradient to a sum costs more than computing it.
constexpr int64_t kFewRows = 256;

struct LinearFunction : FunctionNode {
  MixedPrecision mixed_precision() const override { return MixedPrecision::narrow_weight; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    using type_check::expect;
    in.names({"x", "W", "b"});
    expect(in[0].dtype().kind() == 'f');
    expect_weight_of(in);
    expect(in[0].ndim() == 2, in[1].ndim() == 2, in[0].shape(1) == in[1].shape(1));
    if (in.count() == 3) expect(in[2].dtype() == in[0].dtype(), in[2].ndim() == 1, in[2].shape(0) == in[1].shape(0));
  }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    const int64_t n = in[0].shape()[0], out = in[1].shape()[0];
    Array y({n, out}, in[0].dtype(), in[0].device());
    if (in.size() == 3)
      matmul_bias_into(in[0], weight_for(in[0], in[1]).T(), in[2], y);
    else if (in[0].shape()[1] == 0)
      y.fill(0);
    else
      matmul_into(in[0], weight_for(in[0], in[1]).T(), y, 1, 0);
    return {y};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    return backward_accumulate(wanted, gy, Variables(wanted.size()));
  }
  // gy^T x, in the dtype of W
  static Variable weight_gradient(const Variable& gy, const Variable& x, const Variable& W) {
    if (W.dtype() == x.dtype()) return matmul(gy, x, {.transa = true});
    if (config().enable_backprop) return cast(matmul(gy, x, {.transa = true}), W.dtype());
    Array g(W.shape(), W.dtype(), W.device());
    matmul_into(gy.array().T(), x.array(), g, 1, 0);
    return Variable(std::move(g), false);
  }
  bool accumulates() const override { return true; }
  Variables backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) override {
    auto [x, W] = retained_inputs<2>();
    Variables out;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      Variable g;
      if (wanted[k] == 0) {
        g = matmul(gy[0], weight_for(x, W));
      } else if (wanted[k] == 1) {
        JoinedProducts* const owed = JoinedProducts::current();
        if (gx[k] && owed && !inputs()[1]->creator() && x.shape()[0] <= kFewRows) {
          owed->add(inputs()[1], gy[0].array(), x.array());
          out.push_back(gx[k]);
          continue;
        }
        if (gx[k] && !config().enable_backprop && gx[k].array().is_contiguous() && is_exclusive(gx[k].array())) {
          // A weight used several times: the product is added to its gradient without a temporary, unless another
          // variable or a caller also refers to that array.
          Array sum = gx[k].array();
          matmul_into(gy[0].array().T(), x.array(), sum, 1, 1);
          out.push_back(gx[k]);
          continue;
        }
        g = weight_gradient(gy[0], x, W);
      } else {
        g = sum(gy[0], 0);
      }
      out.push_back(gx[k] ? gx[k] + g : g);
    }
    return out;
  }
};

}  // namespace

Variable Linear::operator()(const Variable& x, const Variable& W, const Variable& b, const LinearOptions& o) const {
  if (mixed(x, W, b)) return in_dtype_of_x("linear", x, W, b, [&](auto&&... in) { return (*this)(in..., o); });
  const int64_t axes = o.n_batch_axes;
  if (axes < 1) throw ValueError("linear: n_batch_axes must be at least 1, not ", axes);
  Variable rows = x;
  Shape batch;
  if (axes > 1) {
    if (axes > x.ndim()) throw DimensionError("linear: n_batch_axes ", axes, " exceeds the ", x.ndim(), " axes of x");
    batch = Shape(x.shape().begin(), x.shape().begin() + axes);
    rows = rows_of(x, static_cast<int>(axes));
  } else if (x.ndim() > 2) {
    if (W.ndim() == 2 && x.shape()[0] && x.size() / x.shape()[0] != W.shape(1) && x.shape(-1) == W.shape(1))
      throw DimensionError("linear: all axes of x but the first are taken together, so x of shape ", x.shape(),
                           " has rows of ", x.size() / x.shape()[0], " elements, but W of shape ", W.shape(), " has ",
                           W.shape(1),
                           " columns; to apply linear to the last axis only, pass n_batch_axes = ", x.ndim() - 1,
                           " (for a link: linear(x, ", x.ndim() - 1, "))");
    rows = rows_of(x);
  }
  Variable y = b ? apply_single(LinearFunction(), rows, W, b) : apply_single(LinearFunction(), rows, W);
  if (axes > 1) {
    batch.push_back(y.shape()[1]);
    y = reshape(y, batch);
  }
  return y;
}

}  // namespace chainer::functions
