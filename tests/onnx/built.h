// SPDX-License-Identifier: MIT
// ONNX models assembled from nodes by tests.
#pragma once
#include <chainer/chainer.h>
#include <chainer/onnx/model_file.h>

#include <string>
#include <utility>
#include <vector>

namespace onnx_built {

using namespace chainer;

using Attributes = std::vector<onnx::Attribute>;

inline onnx::Attribute whole(std::string name, int64_t v) {
  onnx::Attribute a;
  a.name = std::move(name);
  a.kind = onnx::Attribute::Kind::integer;
  a.integer = v;
  return a;
}
inline onnx::Attribute integers(std::string name, std::vector<int64_t> v) {
  onnx::Attribute a;
  a.name = std::move(name);
  a.kind = onnx::Attribute::Kind::integers;
  a.integers = std::move(v);
  return a;
}
inline onnx::Node op(std::string type, std::vector<std::string> in, std::vector<std::string> out,
                     Attributes attributes = {}) {
  onnx::Node n;
  n.op_type = std::move(type);
  n.inputs = std::move(in);
  n.outputs = std::move(out);
  n.attributes = std::move(attributes);
  return n;
}
inline onnx::Node constant_node(const std::string& name, const Array& value) {
  onnx::Node n = op("Constant", {}, {name});
  onnx::Attribute a;
  a.name = "value";
  a.kind = onnx::Attribute::Kind::tensor;
  a.tensor = value;
  n.attributes = {a};
  return n;
}
using Named = std::vector<std::pair<std::string, Dtype>>;
inline onnx::Model model_of(std::vector<onnx::Node> nodes, std::vector<std::pair<std::string, Array>> weights,
                            const Named& inputs, const Named& outputs, int64_t opset = 13) {
  onnx::ModelFile f;
  f.ir_version = 8;
  f.opsets[""] = opset;
  f.nodes = std::move(nodes);
  f.initializers = std::move(weights);
  for (const auto& [name, dtype] : inputs) f.inputs.push_back({name, onnx::element_type(dtype), false, {}});
  for (const auto& [name, dtype] : outputs) f.outputs.push_back({name, onnx::element_type(dtype), false, {}});
  return onnx::Model::from_bytes(onnx::write_model(f));
}

}  // namespace onnx_built
