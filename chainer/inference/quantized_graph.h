// SPDX-License-Identifier: MIT
// The graph of a network whose operators are surrounded by QuantizeLinear and DequantizeLinear.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "chainer/array/host_kernels/quantized.h"
#include "chainer/onnx/model_file.h"

namespace chainer::inference {

/// Folds batch normalization with constant statistics into the convolution or affine map before it.
void fold_batch_normalization(onnx::ModelFile& file);

/// Replaces operators that join and reshape constants (the gates of recurrent networks) by their results.
void fold_constants(onnx::ModelFile& file);

/// Which operators of a graph compute with integers.
class QuantizedGraph {
 public:
  /// `leave` lists layers that stay in float32. Throws ValueError for a name that no layer has.
  QuantizedGraph(onnx::ModelFile file, const std::vector<std::string>& leave);
  QuantizedGraph(const QuantizedGraph&) = delete;

  struct Layer {
    std::string name, op, result;  ///< the tensor after the activation that belongs to the layer
    std::string reason;            ///< why it stays in float32; empty if it does not
  };
  const std::vector<Layer>& layers() const { return layers_; }
  const onnx::ModelFile& file() const { return file_; }
  /// The tensors that become integers, in the order of the graph.
  const std::vector<std::string>& tensors() const { return tensors_; }
  /// Returns the quantized graph, given what the integers of each tensor mean.
  onnx::ModelFile quantized(std::map<std::string, host_kernels::Quantization> numbers) const;
  /// Returns the name in the quantized graph of a tensor of the original one.
  std::string name_of(const std::string& tensor) const;

 private:
  const Array* constant(const std::string& name) const;
  // Returns a constant. Throws ValueError if it is not finite.
  Array finite_weight(const std::string& name) const;
  std::string refusal(const onnx::Node& n) const;
  std::string layer_name(const onnx::Node& n) const;
  // The tensor after an activation that is fused with this one.
  std::string after_activation(const std::string& tensor) const;
  bool moves(const onnx::Node& n) const;
  bool combines(const onnx::Node& n) const;
  // Returns the result of an operator, after the activation that is fused with it.
  std::string result_of(const onnx::Node& n) const;
  // Sets origins_: elementwise operators of a single array are one table of results.
  void find_tables();
  // Returns true if a tensor is known to be within [-1, 1].
  bool has_small_numbers(const std::string& tensor) const;
  // Returns true if the operator that makes a tensor, before what only moves elements, computes with integers.
  bool is_made_of_integers(const std::string& tensor) const;

  onnx::ModelFile file_;
  std::vector<std::string> leave_;
  std::map<std::string, const Array*> constants_;
  std::map<std::string, std::vector<const onnx::Node*>> readers_;
  std::map<std::string, const onnx::Node*> maker_;
  std::map<std::string, std::string> origins_;  // from results of elementwise operators to the array they depend on
  std::set<std::string> results_;               // of the graph
  std::vector<Layer> layers_;
  std::vector<std::string> tensors_;
  std::set<const onnx::Node*> taken_;
};

}  // namespace chainer::inference
