// SPDX-License-Identifier: MIT
// Networks that compute with integers of eight bits.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "chainer/core/other_options.h"
#include "chainer/inference/prepare.h"

namespace chainer::inference {

/// How the range of an activation follows from its values: all values, the part of them that options name, or the range
/// with the least squares of errors.
enum class Calibration { largest, percentile, least_squares };

/// Options of quantize().
struct QuantizeOptions {
  Calibration calibration = Calibration::least_squares;
  double percentile = 99.99;            ///< of absolute values, for Calibration::percentile
  std::vector<std::string> leave = {};  ///< layers that stay in float32, by the names in Quantized::layers()
  bool dynamic_batch = true;            ///< as PrepareOptions
};

/// A layer of a quantized network: the path of its weights, or the name of its result, and its ONNX operator.
struct QuantizedLayer {
  std::string name, op;
  bool quantized;
  std::string reason;  ///< why it is not; empty if it is
  double error;        ///< root of the sum of squared errors of its result divided by that of the result's squares
};

/// A network with integers of eight bits, ready for calls. Any number of threads may call it at the same time.
class Quantized {
 public:
  /// As of Prepared.
  Arrays operator()(const Arrays& inputs) const { return network_(inputs); }
  Array operator()(const Array& x) const { return network_(x); }
  const Prepared& network() const { return network_; }
  /// All layers in the order of the computation; errors are those of the first batch.
  const std::vector<QuantizedLayer>& layers() const { return layers_; }
  /// Returns the layers as a table.
  std::string report() const;
  /// The ONNX file, with QuantizeLinear and DequantizeLinear around its operators. onnx::Model reads it, and
  /// inference::prepare(onnx::Model(file)) computes with integers again.
  const std::string& bytes() const { return bytes_; }
  void save(const std::filesystem::path& file) const;

 private:
  friend Quantized quantize(Link& model, const std::vector<Variables>& batches, const QuantizeOptions& options);
  Quantized(std::string bytes, std::vector<QuantizedLayer> layers, const Variables& example);
  std::string bytes_;
  std::vector<QuantizedLayer> layers_;
  Prepared network_;
};

/// Quantizes a trained network for inference. Runs it on the batches, each the inputs of a call, to find the ranges of
/// activations (calibration); some hundred examples are enough. Weights have eight bits with a scale for each output
/// channel, activations with a scale and a zero point for each array. Convolutions, affine maps, additions, products,
/// concatenations, pooling, what only moves elements, and elementwise functions of one array compute with integers,
/// also from one to the next; sums are exact in int32, so that results are the same on all processors. LSTM, GRU and
/// RNN with their usual activations multiply integers, of which those of the state stand for multiples of 1 / 127, and
/// compute their gates in float32. Other operators run in float32, and layers() says which and why. The last layers
/// give float32.
///
/// Throws as prepare(), and ValueError without batches, for batches with values that are not finite, for a percentile
/// outside of (0, 100], for a name in `leave` that no layer has, and for a model that keeps a state between calls.
///
///   L::Linear link(3, 2);
///   const inference::Quantized net = inference::quantize(link, {{ones({4, 3})}});
///   net(ones({5, 3}))  // shape (5, 2)
Quantized quantize(Link& model, const std::vector<Variables>& batches, const QuantizeOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(quantize, ".calibration, .percentile, .leave, .dynamic_batch", Link&,
                         const std::vector<Variables>&);

}  // namespace chainer::inference
