// SPDX-License-Identifier: MIT
// Operators on integers of eight bits, and the simplification of models that quantize and dequantize around operators.
#pragma once
#include "chainer/array/host_kernels/quantized.h"
#include "chainer/onnx/program.h"

namespace chainer::onnx {

/// Returns an operator that fuse_quantized() makes: QuantizedConv, QuantizedMatMul, QuantizedAdd, QuantizedMul,
/// QuantizedConcat, QuantizedLookUp, QuantizedMaxPool, QuantizedMean, QuantizedGRU, QuantizedLSTM or QuantizedRNN.
/// Their nodes have the attributes of the operator that they replace, and numbers: x_scale, x_zero, x_type (1: int8),
/// likewise for z, the second operand, for x0, x1 and so on, and for y, the result, which is float32 without y_scale;
/// low and high, the limits of an activation. Inputs are x, W, scales of W and the bias in int32, or x and z, or x and
/// a table of 256 results; of recurrent operators those of the operator with integers for x, W and R, then at 8 and 9
/// the scales of W and R.
const Operator* quantized_operator(std::string_view name);
/// The rows of GRU, LSTM and RNN. They have an attribute `small_state`, 1 if a given first state is within [-1, 1], and
/// give float32.
std::span<const Operator> quantized_recurrent_operators();
/// The meaning of the integers of x, y, z and so on, by the attributes of such an operator.
host_kernels::Quantization quantization_of(const Call& c, const std::string& of);
/// Returns true for GRU, LSTM and RNN with their default activations, which keep a state within [-1, 1] there.
bool is_bounded_recurrence(const Node& n);
/// Returns true if a tensor is known to be within [-1, 1]: a constant (empty if it is none), or a result of an operator
/// that makes or moves such numbers, or keeps a state within [-1, 1]. `output` is its number among the maker's results;
/// `input` tells whether an input of the maker is known to be within [-1, 1].
bool is_small(const Array& constant, const Node* maker, std::size_t output,
              const std::function<bool(std::size_t)>& input);

/// Replaces DequantizeLinear, an operator (Conv, Gemm, MatMul, Add, Mul, Concat, MaxPool, GlobalAveragePool,
/// AveragePool, GRU, LSTM, RNN, Relu and Clip after them) and QuantizeLinear by one operator on integers, if weights
/// and scales are constants; operators that only move elements run on integers. Elementwise operators of one array
/// become a table of their results for all 256 integers. Adds slots at the end. Returns true if there was something to
/// dequantize.
bool fuse_quantized(Plan& plan, const std::vector<int>& outputs, int64_t opset);

/// Returns true if each element of the operator's result depends on the elements of its inputs at the same place only.
bool is_pointwise(const Node& n);
/// The numbers, float32, that the integers of the bytes 0 to 255 stand for.
Array all_numbers(const host_kernels::Quantization& q);

/// Converts a convolution's windows; nullopt unless there are two spatial axes.
std::optional<host_kernels::QuantizedWindows> image_windows(const Call& c, const Shape& x, const Dims& kernel);
/// A scale and a zero point as single numbers; nullopt if they are not, or not of eight bits.
std::optional<host_kernels::Quantization> single_quantization(const Array& scale, const Array& zero);
/// Returns true if the kernels take these weights: int8 on the host, whose zero points are 0. `zero` may be empty.
bool takes_weights(const Array& W, const Array& zero);
/// Convolves the images of input 0, by the attributes of a convolution. Returns an empty array for other numbers of
/// axes than those of images, and for sizes that do not match.
Array integer_convolution(const Call& c, const host_kernels::Quantization& x, const host_kernels::QuantizedWeights& w,
                          const host_kernels::QuantizedResult& result);

}  // namespace chainer::onnx
