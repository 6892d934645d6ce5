// SPDX-License-Identifier: MIT
// Quantized integers with scales and zero points, and sums of their products.
#include <algorithm>

#include "chainer/array/index.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/quantized.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

struct Limits {
  double low, high;
};
Limits limits_of(const Call& c, Dtype d) {
  if (d == uint8) return {0, 255};
  if (d == int8) return {-128, 127};
  if (d == int16) return {-32768, 32767};
  if (d == int32) return {-2147483648.0, 2147483647.0};
  c.fail("the quantized dtype must be int8, uint8, int16 or int32, not ", d);
}

// Returns a scale (or zero point) that broadcasts to x: a single number, one per position of an axis, or one per block
// along it.
Variable spread(const Call& c, const Variable& a, const Shape& x) {
  if (a.size() == 1) return F::reshape(a, {});
  const int axis = c.axis(c.integer("axis", 1), x.ndim());
  const int64_t block = c.integer("block_size", 0);
  if (block) {
    if (a.ndim() != x.ndim()) c.fail("scales of shape ", a.shape(), " do not fit blocks of an array of shape ", x);
    const Variable wide = F::repeat(a, {block}, axis);
    Indices cut(static_cast<std::size_t>(axis), Slice());
    cut.push_back(Slice(0, x[axis]));
    return F::get_item(wide, cut);
  }
  if (a.ndim() != 1 || a.size() != x[axis]) c.fail(a.size(), " scales for axis ", axis, " of an array of shape ", x);
  Shape along = Shape(Dims::filled(x.ndim(), 1));
  along[axis] = a.size();
  return F::reshape(a, along);
}

Array quantized(const Call& c, const Array& real, const Array& zero, Dtype to) {
  const Limits l = limits_of(c, to);
  return clip(rint(real) + zero, l.low, l.high).astype(to);
}

Variables quantize(const Call& c) {
  const Array& x = c.array(0);
  Dtype to = uint8;
  if (c.contains("output_dtype") && c.integer("output_dtype"))
    to = dtype_of_element(c.integer("output_dtype"), c.where());
  if (c.has(2)) to = c[2].dtype();
  if (const auto q = single_quantization(c.array(1), c.has(2) ? c.array(2) : Array());
      q && q->dtype == to && x.dtype() == float32 && x.device().is_host())
    return {Variable(host_kernels::quantize(x, *q), false)};
  // Divided in float32 as in the standard; float64 would round ties differently.
  const Array real = x.astype(float32, false) / spread(c, c[1], x.shape()).array().astype(float32, false);
  const Array zero = c.has(2) ? spread(c, c[2], x.shape()).array().astype(float32) : zeros({}, float32);
  return {Variable(quantized(c, real, zero, to), false)};
}

Variables dequantize(const Call& c) {
  const Array& x = c.array(0);
  const Dtype to = c.array(1).dtype();
  Array real = x.astype(float32);
  if (c.has(2)) real = real - spread(c, c[2], x.shape()).array().astype(float32);
  const Variable scale = spread(c, c[1], x.shape());
  if (scale.requires_grad()) return {F::cast(Variable(real, false) * F::cast(scale, float32), to)};
  return {Variable((real * scale.array().astype(float32, false)).astype(to, false), false)};
}

Variables dynamic_quantize(const Call& c) {
  const Array x = c.array(0).astype(float32, false);
  const float low = std::min(0.0f, x.size() ? min(x).item<float>() : 0.0f);
  const float high = std::max(0.0f, x.size() ? max(x).item<float>() : 0.0f);
  const float scale = (high - low) / 255;
  const Array zero = clip(rint(array(scale ? -low / scale : 0.0f)), 0, 255);
  return {Variable(quantized(c, x / (scale ? scale : 1.0f), zero, uint8), false), Variable(array(scale), false),
          Variable(zero.astype(uint8), false)};
}

// Sums of products need no scales.
Array no_scales() { return ones({1}, float32); }

Variables matmul_integer(const Call& c) {
  const auto x = single_quantization(no_scales(), c.has(2) ? c.array(2) : zeros({}, c.dtype()));
  if (x && c[0].ndim() == 2 && c[1].ndim() == 2 && takes_weights(c.array(1), c.has(3) ? c.array(3) : Array()))
    return {Variable(host_kernels::quantized_matmul(c.array(0), *x, {c.array(1), no_scales()}, false, {.sums = true}),
                     false)};
  Array a = c.array(0).astype(float64), b = c.array(1).astype(float64);
  if (c.has(2)) {
    Array zero = c.array(2).astype(float64);
    if (zero.ndim() == 1 && zero.size() > 1) zero = zero.reshape({zero.size(), 1});
    a = a - zero;
  }
  if (c.has(3)) b = b - c.array(3).astype(float64);
  return {Variable(functions::matmul(a, b).array().astype(int32), false)};
}

Variables qlinear_matmul(const Call& c) {
  const auto x = single_quantization(c.array(1), c.array(2)), y = single_quantization(c.array(6), c.array(7));
  const Array& scales = c.array(4);
  if (x && y && c[0].ndim() == 2 && c[3].ndim() == 2 && takes_weights(c.array(3), c.array(5)) &&
      scales.dtype() == float32 && scales.ndim() < 2 && (scales.size() == 1 || scales.size() == c[3].shape(1)))
    return {Variable(host_kernels::quantized_matmul(c.array(0), *x, {c.array(3), scales.ravel()}, false, {.to = y}),
                     false)};
  const auto number = [&](std::size_t i) { return c.array(i).astype(float64); };
  const auto rows = [](const Array& v) { return v.ndim() == 1 && v.size() > 1 ? v.reshape({v.size(), 1}) : v; };
  const Array a = (number(0) - rows(number(2))) * rows(number(1)), b = (number(3) - number(5)) * number(4);
  const Array z = functions::matmul(a, b).array() / rows(number(6));
  return {Variable(quantized(c, z, rows(number(7)), c[7].dtype()), false)};
}

constexpr Operator kOperators[] = {
    {"DequantizeLinear", 10, dequantize},  {"DynamicQuantizeLinear", 11, dynamic_quantize},
    {"MatMulInteger", 10, matmul_integer}, {"QLinearMatMul", 10, qlinear_matmul},
    {"QuantizeLinear", 10, quantize},
};

}  // namespace

std::span<const Operator> quantization_operators() { return kOperators; }

}  // namespace chainer::onnx
