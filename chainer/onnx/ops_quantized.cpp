// SPDX-License-Identifier: MIT
// Operators on integers of eight bits that the simplification of a model makes (quantized.h).
#include <algorithm>
#include <limits>

#include "chainer/functions/array.h"
#include "chainer/onnx/quantized.h"
#include "chainer/onnx/windows.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

using host_kernels::Quantization;
using host_kernels::QuantizedResult;
using host_kernels::QuantizedWeights;

QuantizedResult result(const Call& c) {
  QuantizedResult r;
  r.low = static_cast<float>(c.real("low", -std::numeric_limits<double>::infinity()));
  r.high = static_cast<float>(c.real("high", std::numeric_limits<double>::infinity()));
  if (c.contains("y_scale")) r.to = quantization_of(c, "y");
  return r;
}
QuantizedWeights weights(const Call& c) { return {c.array(1), c.array(2), c.array(3)}; }
Variables constant(Array y) { return {Variable(std::move(y), false)}; }

Array real(const Array& x, const Quantization& q) { return (x.astype(float32) - static_cast<float>(q.zero)) * q.scale; }
// The result of an operator on floats as integers.
Array limited(const Array& y, const QuantizedResult& r) {
  const Array inside = clip(y, static_cast<double>(r.low), static_cast<double>(r.high));
  return r.to ? host_kernels::quantize(inside, *r.to) : inside;
}

Variables convolve(const Call& c) {
  const Shape& W = c[1].shape();
  if (c[0].ndim() != 4 || c[0].shape()[1] != W[1] * c.integer("group", 1))
    c.fail("images of shape ", c[0].shape(), " do not fit filters of shape ", W);
  return constant(integer_convolution(c, quantization_of(c, "x"), weights(c), result(c)));
}

Variables multiply(const Call& c) {
  const bool transposed = c.integer("transB", 0);
  const Shape& s = c[0].shape();
  const int64_t inner = c[1].shape()[transposed ? 1 : 0];
  if (s.ndim() < 1 || s[s.ndim() - 1] != inner) c.fail("rows of shape ", s, " do not fit weights of ", c[1].shape());
  Shape out(s.begin(), s.end() - 1);
  const Array rows = s.ndim() == 2 ? c.array(0) : c.array(0).reshape({out.product(), inner});
  const Array y = host_kernels::quantized_matmul(rows, quantization_of(c, "x"), weights(c), transposed, result(c));
  out.push_back(y.shape(1));
  return constant(y.reshape(out));
}

// Both inputs in the shape of the result.
std::pair<Array, Array> operands(const Call& c) {
  if (c[0].shape() == c[1].shape()) return {c.array(0), c.array(1)};
  const Shape shape = broadcast_shapes(c[0].shape(), c[1].shape(), c.node().op_type);
  return {broadcast_to(c.array(0), shape), broadcast_to(c.array(1), shape)};
}
Variables add(const Call& c) {
  const auto [x, z] = operands(c);
  return constant(host_kernels::quantized_add(x, quantization_of(c, "x"), z, quantization_of(c, "z"), result(c)));
}
Variables times(const Call& c) {
  const auto [x, z] = operands(c);
  return constant(host_kernels::quantized_multiply(x, quantization_of(c, "x"), z, quantization_of(c, "z"), result(c)));
}
Variables look_up(const Call& c) { return constant(host_kernels::quantized_look_up(c.array(0), c.array(1))); }

Variables concat(const Call& c) {
  const QuantizedResult r = result(c);
  Variables parts;
  for (std::size_t i = 0; i < c.count(); ++i) {
    const Quantization q = quantization_of(c, "x" + std::to_string(i));
    const bool same = q == *r.to && r.low == -std::numeric_limits<float>::infinity() &&
                      r.high == std::numeric_limits<float>::infinity();
    parts.push_back(same ? c[i]
                         : Variable(host_kernels::quantized_look_up(c.array(i), limited(all_numbers(q), r)), false));
  }
  return find_operator("Concat")->run(Call(c.node(), c.opset(), parts));
}

Variables max_pool(const Call& c) {
  const auto windows = image_windows(c, c[0].shape(), Dims(c.integers("kernel_shape")));
  if (windows) return constant(host_kernels::quantized_max_pooling(c.array(0), *windows));
  return find_operator("MaxPool")->run(c);
}

// GlobalAveragePool, and AveragePool with windows as large as the images.
Variables mean(const Call& c) {
  const Shape& s = c[0].shape();
  const Quantization x = quantization_of(c, "x");
  bool whole = s.ndim() == 4 && s[2] && s[3];
  const bool windows = c.contains("kernel_shape");
  if (whole && windows) {
    const Windows w = windows_of(c, s, Dims(c.integers("kernel_shape")));
    whole = w.kernel == Dims{s[2], s[3]} && w.out == Dims{1, 1} && w.before == Dims{0, 0} && w.after == Dims{0, 0};
  }
  if (whole) return constant(host_kernels::quantized_means(c.array(0), x, result(c)));
  const Variables in{Variable(real(c.array(0), x), false)};
  const Operator& plain = *find_operator(windows ? "AveragePool" : "GlobalAveragePool");
  return constant(limited(plain.run(Call(c.node(), c.opset(), in))[0].array(), result(c)));
}

constexpr Operator kOperators[] = {
    {"QuantizedAdd", 1, add},        {"QuantizedConcat", 1, concat},   {"QuantizedConv", 1, convolve},
    {"QuantizedLookUp", 1, look_up}, {"QuantizedMatMul", 1, multiply}, {"QuantizedMaxPool", 1, max_pool},
    {"QuantizedMean", 1, mean},      {"QuantizedMul", 1, times},
};

}  // namespace

const Operator* quantized_operator(std::string_view name) {
  for (const std::span<const Operator> table : {std::span<const Operator>(kOperators), quantized_recurrent_operators()})
    for (const Operator& o : table)
      if (o.name == name) return &o;
  return nullptr;
}

Quantization quantization_of(const Call& c, const std::string& of) {
  return {static_cast<float>(c.real(of + "_scale")), static_cast<int>(c.integer(of + "_zero")),
          c.integer(of + "_type") ? int8 : uint8};
}

std::optional<host_kernels::QuantizedWindows> image_windows(const Call& c, const Shape& x, const Dims& kernel) {
  if (kernel.ndim() != 2 || x.ndim() != 4) return std::nullopt;
  const Windows w = windows_of(c, x, kernel);
  return host_kernels::QuantizedWindows{.kernel = {w.kernel[0], w.kernel[1]},
                                        .stride = {w.stride[0], w.stride[1]},
                                        .before = {w.before[0], w.before[1]},
                                        .dilation = {w.dilation[0], w.dilation[1]},
                                        .out = {w.out[0], w.out[1]}};
}

Array all_numbers(const Quantization& q) {
  Array out({256});
  for (int byte = 0; byte < 256; ++byte) {
    const int number = q.dtype == int8 && byte > 127 ? byte - 256 : byte;
    out.mutable_data<float>()[byte] = static_cast<float>(number - q.zero) * q.scale;
  }
  return out;
}

bool is_pointwise(const Node& n) {
  static constexpr std::string_view kOps[] = {"Abs",         "Add",
                                              "Ceil",        "Celu",
                                              "Clip",        "Cos",
                                              "Div",         "Elu",
                                              "Erf",         "Exp",
                                              "Floor",       "Gelu",
                                              "HardSigmoid", "HardSwish",
                                              "Identity",    "LeakyRelu",
                                              "Log",         "Max",
                                              "Min",         "Mish",
                                              "Mul",         "Neg",
                                              "PRelu",       "Pow",
                                              "Reciprocal",  "Relu",
                                              "Round",       "Selu",
                                              "Sigmoid",     "Sign",
                                              "Sin",         "Softplus",
                                              "Softsign",    "Sqrt",
                                              "Sub",         "Swish",
                                              "Tanh",        "ThresholdedRelu"};
  return n.outputs.size() == 1 && (n.domain.empty() || n.domain == "com.microsoft") &&
         std::find(std::begin(kOps), std::end(kOps), n.op_type) != std::end(kOps);
}

std::optional<Quantization> single_quantization(const Array& scale, const Array& zero) {
  if (!scale || scale.size() != 1 || scale.dtype() != float32) return std::nullopt;
  if (!zero) return Quantization{scale.item<float>(), 0, uint8};
  if (zero.size() != 1 || (zero.dtype() != int8 && zero.dtype() != uint8)) return std::nullopt;
  return Quantization{scale.item<float>(), zero.astype(int32).item<int>(), zero.dtype()};
}

bool takes_weights(const Array& W, const Array& zero) {
  return W.dtype() == int8 && W.device().is_host() &&
         (!zero || (zero.dtype() == int8 && (!zero.size() || max(abs(zero.astype(int32))).item<int>() == 0)));
}

Array integer_convolution(const Call& c, const Quantization& x, const QuantizedWeights& w, const QuantizedResult& r) {
  const Shape &s = c[0].shape(), &W = w.W.shape();
  const int64_t groups = c.integer("group", 1);
  if (s.ndim() != 4 || W.ndim() != 4 || groups < 1 || W[0] % groups || s[1] != W[1] * groups) return {};
  const auto windows = image_windows(c, s, Dims(W.begin() + 2, W.end()));
  if (groups > 1 && W[1] == 1 && W[0] == groups)
    return host_kernels::quantized_depthwise(c.array(0), x, w, *windows, r);
  return host_kernels::quantized_convolution(c.array(0), x, w, *windows, groups, r);
}

}  // namespace chainer::onnx
