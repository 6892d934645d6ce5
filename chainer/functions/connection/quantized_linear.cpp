// SPDX-License-Identifier: MIT
#include "chainer/functions/quantized_linear.h"

#include "chainer/autograd/function_node.h"
#include "chainer/autograd/mixed_precision.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/functions/rows.h"

namespace chainer::functions {
namespace {

struct QuantizedLinear : FunctionNode {
  explicit QuantizedLinear(QuantizedMatrix w) : W(std::move(w)) {}
  std::string label() const override { return "QuantizedLinear"; }
  Arrays forward(const Arrays& x) override {
    const Array wide = x[0].astype(float32, false).contiguous();
    return {host_kernels::quantized_product(wide, W).astype(x[0].dtype(), false)};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {matmul(gy[0], Variable(host_kernels::to_float(W).astype(gy[0].dtype(), false), false))};
  }
  QuantizedMatrix W;
};

}  // namespace

Variable quantized_linear(const Variable& given, const QuantizedMatrix& W, const Variable& b, int64_t n_batch_axes) {
  Variables in{given};
  cast_in_mixed_precision(MixedPrecision::narrow, in);
  const Variable& x = in[0];
  int64_t rows = 1, columns = 1;
  for (int i = 0; i < x.ndim(); ++i) (i < n_batch_axes ? rows : columns) *= x.shape()[i];
  // Exports see a product with constant weights; wrong arguments are left to linear().
  if (CompositeRecorder::current || !x.device().is_host() || !W.values.device().is_host() || !is_floating(x.dtype()) ||
      x.dtype() == float64 || rows > host_kernels::kFewRows || n_batch_axes < 1 || n_batch_axes > x.ndim() ||
      columns != W.columns) {
    const Array wide = host_kernels::to_float(W.on_host()).to_device(x.device());
    const Dtype dtype = is_floating(x.dtype()) ? x.dtype() : float32;
    const Variable bias = b && is_floating(x.dtype()) ? cast(b, dtype) : b;
    return linear(x, Variable(wide.astype(dtype, false), false), bias, {.n_batch_axes = n_batch_axes});
  }
  Variable y = apply_single(QuantizedLinear(W), rows_of(x, static_cast<int>(n_batch_axes)));
  if (b) y = y + broadcast_to(cast(b, y.dtype()), y.shape());
  if (n_batch_axes == 1) return y;
  Shape shape(x.shape().begin(), x.shape().begin() + n_batch_axes);
  shape.push_back(W.rows());
  return reshape(y, shape);
}

}  // namespace chainer::functions
