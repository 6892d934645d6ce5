// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "chainer/inference/quantized_graph.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::inference {
namespace {

// Removes steps and constants that nothing reads.
void remove_unread(onnx::ModelFile& file, const std::vector<bool>& gone) {
  std::vector<onnx::Node> kept;
  std::set<std::string> read;
  for (std::size_t i = 0; i < file.nodes.size(); ++i) {
    if (gone[i]) continue;
    for (const auto* names : {&file.nodes[i].inputs, &file.nodes[i].captured})
      read.insert(names->begin(), names->end());
    kept.push_back(std::move(file.nodes[i]));
  }
  for (const onnx::ValueInfo& v : file.outputs) read.insert(v.name);
  file.nodes = std::move(kept);
  std::erase_if(file.initializers, [&](const auto& c) { return !read.contains(c.first); });
}

}  // namespace

void fold_constants(onnx::ModelFile& file) {
  static constexpr std::array<std::string_view, 6> kOps = {"Concat",  "Identity",  "Reshape",
                                                           "Squeeze", "Transpose", "Unsqueeze"};
  std::map<std::string, Array> constants;
  for (const auto& [name, value] : file.initializers) constants[name] = value;
  std::vector<bool> gone(file.nodes.size());
  for (std::size_t i = 0; i < file.nodes.size(); ++i) {
    const onnx::Node& n = file.nodes[i];
    const onnx::Operator* const op = n.domain.empty() ? onnx::find_operator(n) : nullptr;
    const auto known = [&](const std::string& name) { return constants.contains(name); };
    if (n.outputs.size() != 1) continue;
    const bool result = std::any_of(file.outputs.begin(), file.outputs.end(),
                                    [&](const onnx::ValueInfo& v) { return v.name == n.outputs[0]; });
    if (!op || result || std::find(kOps.begin(), kOps.end(), n.op_type) == kOps.end() ||
        !std::all_of(n.inputs.begin(), n.inputs.end(), known))
      continue;
    Variables in;
    for (const std::string& name : n.inputs) in.push_back(Variable(constants.at(name), false));
    const Array y = op->run(onnx::Call(n, n.opset ? n.opset : file.opsets.at(""), in))[0].array();
    constants[n.outputs[0]] = y;
    file.initializers.emplace_back(n.outputs[0], y);
    gone[i] = true;
  }
  remove_unread(file, gone);
}

void fold_batch_normalization(onnx::ModelFile& file) {
  std::map<std::string, std::size_t> constants, maker;
  std::map<std::string, int> readers;
  for (std::size_t i = 0; i < file.initializers.size(); ++i) constants[file.initializers[i].first] = i;
  for (const onnx::ValueInfo& v : file.outputs) ++readers[v.name];
  for (const onnx::Node& n : file.nodes)
    for (const auto* names : {&n.inputs, &n.captured})
      for (const std::string& name : *names) ++readers[name];
  const auto known = [&](const std::string& name) { return constants.contains(name); };
  const auto number = [&](const std::string& name) {
    return file.initializers[constants.at(name)].second.astype(float64);
  };
  std::vector<bool> gone(file.nodes.size());
  for (std::size_t i = 0; i < file.nodes.size(); ++i) {
    onnx::Node& bn = file.nodes[i];
    for (const std::string& name : bn.outputs) maker[name] = i;
    if (bn.op_type != "BatchNormalization" || !bn.domain.empty() || bn.inputs.size() != 5 || bn.outputs.size() != 1 ||
        !maker.contains(bn.inputs[0]) || readers[bn.inputs[0]] != 1 ||
        !std::all_of(bn.inputs.begin() + 1, bn.inputs.end(), known))
      continue;
    onnx::Node& source = file.nodes[maker[bn.inputs[0]]];
    const bool convolution = source.op_type == "Conv", matrix = source.op_type == "Gemm";
    bool transposed = false, plain = convolution || matrix;
    for (const onnx::Attribute& a : source.attributes) {
      if (a.name == "transB") transposed = a.integer != 0;
      if (a.name == "alpha" || a.name == "beta") plain = plain && a.real == 1;
    }
    const bool bias = source.inputs.size() > 2 && !source.inputs[2].empty();
    if (!plain || !source.domain.empty() || !known(source.inputs[1]) || (bias && !known(source.inputs[2]))) continue;
    double eps = 1e-5;
    for (const onnx::Attribute& a : bn.attributes)
      if (a.name == "epsilon") eps = a.real;
    const Array W = number(source.inputs[1]), old = bias ? number(source.inputs[2]) : zeros({}, float64);
    const int axis = convolution || transposed ? 0 : 1;
    const Array scale = number(bn.inputs[1]) / sqrt(number(bn.inputs[4]) + eps);
    if (W.shape(axis) != scale.size() || old.ndim() > 1) continue;
    Shape along = Shape(Dims::filled(W.ndim(), 1));
    along[axis] = scale.size();
    const Dtype dtype = file.initializers[constants.at(source.inputs[1])].second.dtype();
    const auto keep = [&](const std::string& name, const Array& value) {
      constants[name] = file.initializers.size();
      file.initializers.emplace_back(name, value.astype(dtype));
      return name;
    };
    const std::string path = source.inputs[1];
    source.inputs.resize(3);
    source.inputs[2] =
        keep(path + "_folded_bias_" + std::to_string(i), (old - number(bn.inputs[3])) * scale + number(bn.inputs[2]));
    const Array folded = W * scale.reshape(along);
    if (readers[path] == 1)  // else another layer shares the weight
      file.initializers[constants.at(path)].second = folded.astype(dtype);
    else
      source.inputs[1] = keep(path + "_folded_" + std::to_string(i), folded);
    source.outputs[0] = bn.outputs[0];
    maker[bn.outputs[0]] = maker[bn.inputs[0]];
    gone[i] = true;
  }
  remove_unread(file, gone);
}

}  // namespace chainer::inference
