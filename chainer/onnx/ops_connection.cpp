// SPDX-License-Identifier: MIT
// Convolutions.
#include <algorithm>

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/convolution.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/quantized.h"
#include "chainer/onnx/windows.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

Dims kernel_of(const Call& c) {
  c.expect_one_dtype();
  const Shape& W = c[1].shape();
  if (W.ndim() < 3) c.fail("filters must have 3 or more axes, not shape ", W);
  const Dims kernel(W.begin() + 2, W.end());
  const std::vector<int64_t> given = c.integers("kernel_shape", std::vector<int64_t>(kernel.begin(), kernel.end()));
  if (Dims(given) != kernel) c.fail("kernel_shape is ", Dims(given), ", but filters have shape ", W);
  return kernel;
}

Variable convolve(const Call& c, const Variable& x, const Variable& W, const Variable& b) {
  const Windows w = windows_of(c, x.shape(), kernel_of(c));
  const bool direct = w.symmetric() && *std::min_element(w.before.begin(), w.before.end()) >= 0;
  return F::convolution_nd(direct ? x : padded(x, w, 0), W, b,
                           {.stride = w.stride,
                            .pad = direct ? w.before : Dims::filled(w.before.ndim(), 0),
                            .dilate = w.dilation,
                            .groups = c.integer("group", 1)});
}
Variables conv(const Call& c) { return {convolve(c, c[0], c[1], c.has(2) ? c[2] : Variable())}; }

Variables conv_transpose(const Call& c) {
  const Variable &x = c[0], &W = c[1];
  const Dims kernel = kernel_of(c);
  const int axes = kernel.ndim();
  if (x.ndim() != axes + 2) c.fail("the input has shape ", x.shape(), ", the kernel ", axes, " axes");
  const Dims stride = per_axis(c, "strides", axes, 1), dilation = per_axis(c, "dilations", axes, 1);
  const Dims extra = per_axis(c, "output_padding", axes, 0);
  const std::vector<int64_t> pads = c.integers("pads", std::vector<int64_t>(2 * static_cast<std::size_t>(axes), 0));
  std::vector<int64_t> wanted = c.integers("output_shape", std::vector<int64_t>());
  if (static_cast<int>(wanted.size()) == axes + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  const std::string mode = c.text("auto_pad", "NOTSET");
  if (static_cast<int>(pads.size()) != 2 * axes || (!wanted.empty() && static_cast<int>(wanted.size()) != axes))
    c.fail("pads or output_shape do not fit ", axes, " axes");
  Dims before, out, full;
  bool plain = true;  // deconvolution_nd supports the parameters directly
  for (int i = 0; i < axes; ++i) {
    if (stride[i] <= 0 || dilation[i] <= 0) c.fail("strides and dilations must be positive");
    const int64_t whole = stride[i] * (x.shape()[i + 2] - 1) + (kernel[i] - 1) * dilation[i] + 1;
    int64_t first = pads[static_cast<std::size_t>(i)], last = pads[static_cast<std::size_t>(i + axes)];
    int64_t length = whole + extra[i] - first - last;
    if (!wanted.empty() || mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      length = wanted.empty() ? x.shape()[i + 2] * stride[i] : wanted[static_cast<std::size_t>(i)];
      const int64_t total = whole + extra[i] - length;
      // Before operator set 11, an odd total was cropped at the end if no mode was given.
      const bool less_first = mode == "SAME_UPPER" || (mode == "NOTSET" && c.opset() < 11);
      first = less_first || total < 0 ? total / 2 : total - total / 2;
      last = total - first;
    }
    if (length < 0 || length > (int64_t(1) << 40)) c.fail("the output length ", length, " is out of range");
    plain &= first >= 0 && first == last && extra[i] < stride[i];
    before.push_back(first);
    out.push_back(length);
    full.push_back(whole);
  }
  const int64_t groups = c.integer("group", 1);
  const Variable b = c.has(2) ? c[2] : Variable();
  if (plain)
    return {F::deconvolution_nd(
        x, W, b, {.stride = stride, .pad = before, .outsize = out, .dilate = dilation, .groups = groups})};
  Variable y = F::deconvolution_nd(x, W, {}, {.stride = stride, .outsize = full, .dilate = dilation, .groups = groups});
  std::vector<std::pair<int64_t, int64_t>> widths(2);
  Indices cut(2, Slice());
  for (int i = 0; i < axes; ++i) {
    const int64_t end = before[i] + out[i];
    cut.push_back(Slice(std::max<int64_t>(0, before[i]), std::min(end, full[i])));
    widths.emplace_back(std::max<int64_t>(0, -before[i]), std::max<int64_t>(0, end - full[i]));
  }
  y = F::pad(F::get_item(y, cut), widths, "constant");
  if (!b) return {y};
  Shape along = Shape(Dims::filled(axes + 2, 1));
  along[1] = b.size();
  return {y + F::reshape(b, along)};
}

// Sums columns of patches to images.
Variables col2im(const Call& c) {
  const Variable& x = c[0];
  const std::vector<int64_t> image = c.values(1), block = c.values(2);
  const int axes = static_cast<int>(image.size());
  if (block.size() != image.size() || x.ndim() != 3)
    c.fail("the input has shape ", x.shape(), ", block_shape ", block.size(), " axes");
  const Dims kernel(block);
  const int64_t patch = kernel.product();
  if (patch <= 0 || x.shape(1) % patch)
    c.fail("axis 1 must be a multiple of the block size ", patch, ", not ", x.shape(1));
  const int64_t channels = x.shape(1) / patch;
  Shape images{x.shape(0), channels};
  for (const int64_t n : image) images.push_back(n);
  checked_size(images, item_size(x.dtype()), "Col2Im");
  const Windows w = windows_of(c, images, kernel);
  if (w.out.product() != x.shape(2))
    c.fail("the input has ", x.shape(2), " columns, expected one for each of the windows ", w.out);
  // A transposed convolution with one-hot filters.
  Shape filters{patch, 1};
  for (const int64_t n : kernel) filters.push_back(n);
  const Variable W(eye(patch, {}, 0, x.dtype()).reshape(filters), false);
  Shape rows{x.shape(0) * channels, patch}, padded_size;
  for (const int64_t n : w.out) rows.push_back(n);
  Indices cut(2, Slice());
  for (int i = 0; i < axes; ++i) {
    padded_size.push_back(image[static_cast<std::size_t>(i)] + w.before[i] + w.after[i]);
    cut.push_back(Slice(w.before[i], w.before[i] + image[static_cast<std::size_t>(i)]));
  }
  const Variable y = F::deconvolution_nd(F::reshape(x, rows), W, {},
                                         {.stride = w.stride, .outsize = padded_size, .dilate = w.dilation});
  return {F::reshape(F::get_item(y, cut), images)};
}

// Subtracts zero points and computes in float64, in which the sums of integers are exact.
Variables conv_integer(const Call& c) {
  const Array one = ones({1}, float32), of_W = c.has(3) ? c.array(3) : Array();
  const auto q = single_quantization(one, c.has(2) ? c.array(2) : zeros({}, c.dtype()));
  if (q && takes_weights(c.array(1), of_W))
    if (const Array y = integer_convolution(c, *q, {c.array(1), one}, {.sums = true})) return {Variable(y, false)};
  Array x = c.array(0).astype(float64), W = c.array(1).astype(float64);
  if (c.has(2)) x = x - c.array(2).astype(float64);
  if (c.has(3)) {
    Shape along = Shape(Dims::filled(W.ndim(), 1));
    along[0] = c[3].size();
    W = W - c.array(3).astype(float64).reshape(along);
  }
  return {Variable(convolve(c, Variable(x, false), Variable(W, false), {}).array().astype(int32), false)};
}

// As ConvInteger, then scaled in float32 to the integers of the result.
Variables qlinear_conv(const Call& c) {
  const auto from = single_quantization(c.array(1), c.array(2)), result = single_quantization(c.array(6), c.array(7));
  const Array &filters = c.array(3), &scales = c.array(4), bias = c.has(8) ? c.array(8) : Array();
  if (from && result && takes_weights(filters, c.array(5)) && scales.dtype() == float32 && filters.ndim() == 4 &&
      (scales.size() == 1 || scales.size() == filters.shape(0)) &&
      (!bias || (bias.dtype() == int32 && bias.size() == filters.shape(0))))
    if (const Array y = integer_convolution(c, *from, {filters, scales.ravel(), bias}, {.to = result}))
      return {Variable(y, false)};
  const auto along = [&](const Array& a, int axis, int ndim) {
    Shape shape = Shape(Dims::filled(ndim, 1));
    shape[axis] = a.size();
    return a.size() == 1 ? a.reshape({}) : a.reshape(shape);
  };
  const int ndim = c[0].ndim();
  const Variable x(c.array(0).astype(float64) - along(c.array(2).astype(float64), 0, ndim), false);
  const Variable W(c.array(3).astype(float64) - along(c.array(5).astype(float64), 0, ndim), false);
  const Variable b = c.has(8) ? Variable(c.array(8).astype(float64), false) : Variable();
  const Variables in = {x, W};
  const Array sums = convolve(Call(c.node(), c.opset(), in), x, W, b).array();
  const Array scale = c.array(1).astype(float32).reshape({}) * along(c.array(4).astype(float32), 1, ndim) /
                      c.array(6).astype(float32).reshape({});
  const Dtype to = c[7].dtype();
  if (to != int8 && to != uint8) c.fail("the result must be int8 or uint8, not ", to);
  const Array y = rint(sums.astype(float32) * scale) + c.array(7).astype(float32).reshape({});
  return {Variable(clip(y, to == int8 ? -128 : 0, to == int8 ? 127 : 255).astype(to), false)};
}

// The convolution of com.microsoft with an addend and an activation function.
Variables fused_conv(const Call& c) {
  Variable y = convolve(c, c[0], c[1], c.has(2) ? c[2] : Variable());
  if (c.has(3)) y = y + c[3];
  const std::string activation = c.text("activation", "");
  const std::vector<double> p = c.reals("activation_params");
  const auto number = [&](std::size_t i, double otherwise) { return i < p.size() ? p[i] : otherwise; };
  if (activation.empty()) return {y};
  if (activation == "Relu") return {F::relu(y)};
  if (activation == "Tanh") return {F::tanh(y)};
  if (activation == "Sigmoid") return {F::sigmoid(y)};
  if (activation == "LeakyRelu") return {F::leaky_relu(y, number(0, 0.01))};
  if (activation == "Clip") return {F::clip(y, number(0, -3.402823e38), number(1, 3.402823e38))};
  if (activation == "HardSigmoid") return {F::clip(y * number(0, 0.2) + number(1, 0.5), 0, 1)};
  c.fail("unknown activation '", activation, "'");
}

constexpr Operator kOperators[] = {
    {"Col2Im", 18, col2im},
    {"Conv", 1, conv, 2 | 4},
    {"ConvInteger", 10, conv_integer},
    {"ConvTranspose", 1, conv_transpose, 2 | 4},
    {"QLinearConv", 10, qlinear_conv},
    {"com.microsoft.FusedConv", 1, fused_conv, 2 | 4},
};

}  // namespace

std::span<const Operator> connection_operators() { return kOperators; }

}  // namespace chainer::onnx
