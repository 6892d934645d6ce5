// SPDX-License-Identifier: MIT
#include "chainer/inference/quantized_graph.h"

#include <algorithm>
#include <array>

#include "chainer/onnx/quantized.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::inference {
namespace {

using host_kernels::Quantization;
using onnx::Attribute;
using onnx::Node;

constexpr float kLeastScale = 1e-30f;     // smaller scales of sums would not be normal numbers
constexpr double kLargestBias = 1 << 30;  // as an integer

template <std::size_t n>
bool is_one_of(const Node& node, const std::array<std::string_view, n>& ops) {
  return node.domain.empty() && std::find(ops.begin(), ops.end(), node.op_type) != ops.end();
}
constexpr std::array<std::string_view, 2> kMeans = {"GlobalAveragePool", "AveragePool"},
                                          kActivations = {"Relu", "Clip"};
bool is_affine(const Node& n) { return is_one_of(n, std::array<std::string_view, 3>{"Conv", "Gemm", "MatMul"}); }
const Attribute* attribute(const Node& n, std::string_view name) {
  for (const Attribute& a : n.attributes)
    if (a.name == name) return &a;
  return nullptr;
}
int64_t integer(const Node& n, std::string_view name, int64_t otherwise) {
  const Attribute* const a = attribute(n, name);
  return a ? a->integer : otherwise;
}
bool is_one(const Node& n, std::string_view name) {
  const Attribute* const a = attribute(n, name);
  return !a || a->real == 1;
}
Node node_of(std::string op, std::vector<std::string> in, std::string out) {
  Node n;
  n.op_type = std::move(op);
  n.name = out;
  n.inputs = std::move(in);
  n.outputs = {std::move(out)};
  return n;
}
// The axis of the output channels.
int channel_axis(const Node& n) {
  return n.op_type == "Conv" || (n.op_type == "Gemm" && integer(n, "transB", 0)) ? 0 : 1;
}

}  // namespace

QuantizedGraph::QuantizedGraph(onnx::ModelFile file, const std::vector<std::string>& leave)
    : file_(std::move(file)), leave_(leave) {
  for (const auto& [name, value] : file_.initializers) constants_[name] = &value;
  for (const onnx::ValueInfo& v : file_.outputs) results_.insert(v.name);
  for (const Node& n : file_.nodes) {
    for (const auto* names : {&n.inputs, &n.captured})
      for (const std::string& name : *names) readers_[name].push_back(&n);
    for (const std::string& name : n.outputs) maker_[name] = &n;
  }
  find_tables();
  std::map<const Node*, std::string> reasons;
  std::set<std::string> wanted, names, in_tables;
  // Backwards: what no operator reads as integers need not be integers.
  for (auto n = file_.nodes.rbegin(); n != file_.nodes.rend(); ++n) {
    std::string& why = reasons[&*n] = refusal(*n);
    const std::string name = layer_name(*n);
    names.insert(name);
    if (why.empty() && std::find(leave_.begin(), leave_.end(), name) != leave_.end()) why = "it is in `leave`";
    const std::string out = result_of(*n);
    const auto origin = origins_.find(out);
    const bool needed = (wanted.contains(out) && !results_.contains(out)) || in_tables.contains(out);
    if (why.empty() && !needed && (combines(*n) || moves(*n) || origin != origins_.end()))
      why = "its result is used in float32";
    if (!why.empty()) continue;
    taken_.insert(&*n);
    if (origin != origins_.end()) {
      wanted.insert(origin->second);
      for (const std::string& name : n->inputs)
        if (origins_.contains(name)) in_tables.insert(name);
    } else {
      wanted.insert(n->inputs.begin(), combines(*n) ? n->inputs.end() : n->inputs.begin() + 1);
    }
  }
  for (const std::string& name : leave_)
    if (!names.contains(name)) throw ValueError("quantize: no layer is named '", name, "'");
  for (const onnx::ValueInfo& v : file_.inputs)
    if (wanted.contains(v.name)) tensors_.push_back(v.name);
  std::set<std::string> inside;  // results that an activation follows in the same layer
  for (const Node& n : file_.nodes) {
    for (const std::string& t : n.outputs)
      if (wanted.contains(t)) tensors_.push_back(t);
    if (n.outputs.empty() || inside.contains(n.outputs[0])) continue;
    const std::string out = taken_.contains(&n) ? result_of(n) : n.outputs[0];
    if (out != n.outputs[0]) inside.insert(out);
    if (n.op_type != "Constant" && n.op_type != "Shape")
      layers_.push_back({layer_name(n), n.op_type, out, reasons[&n]});
  }
}

const Array* QuantizedGraph::constant(const std::string& name) const {
  const auto it = constants_.find(name);
  return it == constants_.end() ? nullptr : it->second;
}

std::string QuantizedGraph::layer_name(const Node& n) const {
  if ((is_affine(n) || onnx::is_bounded_recurrence(n)) && n.inputs.size() > 1 && constant(n.inputs[1])) {
    const std::string& W = n.inputs[1];
    // (A weight that layers share has the name of each layer's folded copy: fold_file.cpp.)
    const std::size_t end = W.rfind("/W");
    const bool of_link = end != W.npos && (end + 2 == W.size() || W.compare(end + 2, 8, "_folded_") == 0);
    return of_link ? W.substr(0, end) : W;
  }
  return n.outputs.empty() ? n.name : n.outputs[0];
}

bool QuantizedGraph::moves(const Node& n) const {
  return is_one_of(n, std::array<std::string_view, 8>{"MaxPool", "Reshape", "Flatten", "Transpose", "Squeeze",
                                                      "Unsqueeze", "Expand", "Slice"});
}

bool QuantizedGraph::combines(const Node& n) const {
  return is_one_of(n, std::array<std::string_view, 3>{"Add", "Mul", "Concat"}) &&
         !origins_.contains(n.outputs.empty() ? "" : n.outputs[0]);
}

void QuantizedGraph::find_tables() {
  for (const Node& n : file_.nodes) {
    if (!onnx::is_pointwise(n)) continue;
    std::set<std::string> of;
    for (const std::string& name : n.inputs) {
      const Array* const c = constant(name);
      if (name.empty() || (c && c->ndim() == 0)) continue;
      const auto it = origins_.find(name);
      of.insert(c || it == origins_.end() ? name : it->second);
    }
    if (of.size() != 1 || constant(*of.begin())) continue;
    // (An activation directly after an operator is part of it.)
    const auto before = maker_.find(n.inputs[0]);
    if (before != maker_.end() && before->second->outputs[0] == n.inputs[0] &&
        result_of(*before->second) == n.outputs[0])
      continue;
    origins_[n.outputs[0]] = *of.begin();
  }
}

bool QuantizedGraph::is_made_of_integers(const std::string& tensor) const {
  std::string t = tensor;
  while (true) {
    if (const auto origin = origins_.find(t); origin != origins_.end()) {
      t = origin->second;
      continue;
    }
    const auto maker = maker_.find(t);
    if (maker == maker_.end()) return false;
    const Node& n = *maker->second;
    const bool left = std::find(leave_.begin(), leave_.end(), layer_name(n)) != leave_.end();
    if (left || (!moves(n) && !is_one_of(n, kActivations)))
      return !left && (combines(n) || is_affine(n)) && refusal(n).empty();
    t = n.inputs[0];
  }
}

bool QuantizedGraph::has_small_numbers(const std::string& tensor) const {
  const Array* const c = constant(tensor);
  const auto maker = maker_.find(tensor);
  if (c || maker == maker_.end()) return onnx::is_small(c ? *c : Array(), nullptr, 0, {});
  const Node& n = *maker->second;
  const auto output =
      static_cast<std::size_t>(std::find(n.outputs.begin(), n.outputs.end(), tensor) - n.outputs.begin());
  return onnx::is_small({}, &n, output, [&](std::size_t i) { return has_small_numbers(n.inputs[i]); });
}

std::string QuantizedGraph::result_of(const Node& n) const {
  if (n.outputs.empty()) return "";
  return is_affine(n) || combines(n) || is_one_of(n, kMeans) ? after_activation(n.outputs[0]) : n.outputs[0];
}

std::string QuantizedGraph::after_activation(const std::string& tensor) const {
  const auto it = readers_.find(tensor);
  if (it == readers_.end() || it->second.size() != 1 || results_.contains(tensor)) return tensor;
  const Node& next = *it->second[0];
  const bool limits = next.op_type == "Clip" && next.attributes.empty() &&
                      std::all_of(next.inputs.begin() + 1, next.inputs.end(),
                                  [&](const std::string& name) { return name.empty() || constant(name); });
  return next.domain.empty() && (next.op_type == "Relu" || limits) && next.inputs[0] == tensor ? next.outputs[0]
                                                                                               : tensor;
}

// Returns the reason why an operator cannot compute with integers.
std::string QuantizedGraph::refusal(const Node& n) const {
  if (is_affine(n)) {
    const Array* const W = n.inputs.size() > 1 ? constant(n.inputs[1]) : nullptr;
    if (!W || W->dtype() != float32) return "its weights are not constants of float32";
    if (W->ndim() != (n.op_type == "Conv" ? 4 : 2)) return text("its weights have the shape ", W->shape());
    if (n.inputs.size() > 2 && !n.inputs[2].empty())
      if (const Array* const b = constant(n.inputs[2]); !b || b->ndim() != 1)
        return "its bias is not a constant vector";
    const int64_t groups = n.op_type == "Conv" ? integer(n, "group", 1) : 1;
    if (groups > 1 && W->shape(1) < 16 && (W->shape(1) > 1 || W->shape(0) != groups))
      return text("its groups have ", W->shape(1), " channels, fewer than 16");
    if (n.op_type == "Gemm" && (!is_one(n, "alpha") || !is_one(n, "beta") || integer(n, "transA", 0)))
      return "it is scaled or transposed";
    return {};
  }
  if (onnx::is_bounded_recurrence(n)) {
    for (const std::size_t i : {1, 2})
      if (const Array* const W = i < n.inputs.size() ? constant(n.inputs[i]) : nullptr; !W || W->dtype() != float32)
        return "its weights are not constants of float32";
    const bool given = n.inputs.size() > 5 && !n.inputs[5].empty();
    // (The state of the others is within [-1, 1] from the second step on.)
    if (n.op_type == "GRU" && given && !has_small_numbers(n.inputs[5]))
      return "its first state is not known to be within [-1, 1]";
    return {};
  }
  const auto table = n.outputs.empty() ? origins_.end() : origins_.find(n.outputs[0]);
  if (table != origins_.end()) return is_made_of_integers(table->second) ? "" : "its input is made in float32";
  if (combines(n)) {
    const bool constants = std::any_of(n.inputs.begin(), n.inputs.end(), [&](const auto& i) { return constant(i); });
    return constants ? "one of its inputs is constant" : "";
  }
  if (moves(n) && n.outputs.size() == 1) return constant(n.inputs[0]) ? "its input is constant" : "";
  if (moves(n)) return "it has several results";
  if (is_one_of(n, kMeans)) return is_made_of_integers(n.inputs[0]) ? "" : "its input is made in float32";
  if (is_one_of(n, std::array<std::string_view, 3>{"GRU", "LSTM", "RNN"}))
    return "its activations are not the default ones";
  return "the operator runs in float32";
}

Array QuantizedGraph::finite_weight(const std::string& name) const {
  const Array& W = *constant(name);
  const Array bad = logical_not(isfinite(W));
  if (any(bad).item<bool>())
    throw ValueError("quantize: the weight '", name, "' must be finite, ", count_nonzero(bad).item<int64_t>(),
                     " of its ", W.size(), " elements are not");
  return W;
}

std::string QuantizedGraph::name_of(const std::string& tensor) const {
  const bool integers = std::find(tensors_.begin(), tensors_.end(), tensor) != tensors_.end();
  return integers ? tensor + "_dequantized" : tensor;
}

onnx::ModelFile QuantizedGraph::quantized(std::map<std::string, Quantization> numbers) const {
  // What only moves elements keeps the integers of its input.
  for (const Node& n : file_.nodes)
    if (taken_.contains(&n) && moves(n) && numbers.contains(n.inputs[0]) && numbers.contains(n.outputs[0]))
      numbers[n.outputs[0]] = numbers[n.inputs[0]];
  onnx::ModelFile out = file_;
  out.nodes.clear();
  std::set<std::string> replaced;
  const auto keep = [&](const std::string& name, const Array& value) {
    out.initializers.emplace_back(name, value);
    return name;
  };
  // QuantizeLinear and DequantizeLinear after a tensor.
  const auto convert = [&](const std::string& t) {
    const auto it = numbers.find(t);
    if (it == numbers.end()) return;
    const std::string scale = keep(t + "_scale", full({}, static_cast<double>(it->second.scale), float32));
    const std::string zero = keep(t + "_zero", full({}, it->second.zero, it->second.dtype));
    out.nodes.push_back(node_of("QuantizeLinear", {t, scale, zero}, t + "_quantized"));
    out.nodes.push_back(node_of("DequantizeLinear", {t + "_quantized", scale, zero}, t + "_dequantized"));
  };
  for (const onnx::ValueInfo& v : file_.inputs) convert(v.name);
  int made = 0;
  // Replaces an input by integers with a scale for each element of an axis, at least the given ones; returns the
  // scales. (A weight that two layers share is stored for each.)
  const auto to_integers = [&](std::string& input, int axis, const std::string& name, const Array& least = {}) {
    const Array W = finite_weight(input);
    Dims others;
    for (int i = 0; i < W.ndim(); ++i)
      if (i != axis) others.push_back(i);
    const Array top = W.size() ? max(abs(W), Axes(others)) : zeros({W.shape(axis)});
    Array scales = (least ? maximum(top / 127.f, least) : top / 127.f).astype(float32);
    scales = where(scales > kLeastScale, scales, ones_like(scales));
    Shape along = Shape(Dims::filled(W.ndim(), 1));
    along[axis] = scales.size();
    Node weights = node_of("DequantizeLinear",
                           {keep(name + "_quantized", clip(rint(W / scales.reshape(along)), -127, 127).astype(int8)),
                            keep(name + "_scale", scales), keep(name + "_zero", zeros({scales.size()}, int8))},
                           name + "_dequantized");
    weights.attributes.push_back(onnx::attribute("axis", axis));
    replaced.insert(input);
    input = weights.outputs[0];
    out.nodes.push_back(std::move(weights));
    return scales;
  };
  for (const Node& original : file_.nodes) {
    Node n = original;
    if (taken_.contains(&original) && is_affine(n)) {
      const std::string name = n.inputs[1] + "_" + std::to_string(made++);
      const bool has_bias = n.inputs.size() > 2 && !n.inputs[2].empty();
      const Array given = has_bias ? finite_weight(n.inputs[2]).astype(float64) : Array();
      const double unit = static_cast<double>(numbers.at(n.inputs[0]).scale);
      // The bias, a multiple of the scale of sums, must fit in int32 next to the sums.
      const Array scales = to_integers(n.inputs[1], channel_axis(n), name,
                                       has_bias ? (abs(given) / (unit * kLargestBias)).astype(float32) : Array());
      if (has_bias) {
        const Array factor = scales * static_cast<float>(unit);
        const Array b = given / factor.astype(float64);
        Node bias = node_of("DequantizeLinear",
                            {keep(name + "_bias", clip(rint(b), -2147483648.0, 2147483647.0).astype(int32)),
                             keep(name + "_bias_scale", factor)},
                            name + "_bias_dequantized");
        bias.attributes.push_back(onnx::attribute("axis", 0));
        replaced.insert(n.inputs[2]);
        n.inputs[2] = bias.outputs[0];
        out.nodes.push_back(std::move(bias));
      }
    } else if (taken_.contains(&original) && onnx::is_bounded_recurrence(n)) {
      for (const std::size_t i : {1, 2}) (void)to_integers(n.inputs[i], 1, n.inputs[i] + "_" + std::to_string(made++));
    }
    for (std::string& name : n.inputs)
      if (numbers.contains(name)) name += "_dequantized";
    out.nodes.push_back(std::move(n));
    for (const std::string& t : original.outputs) convert(t);
  }
  // Weights in float32 that no operator reads any more.
  for (const Node& n : out.nodes)
    for (const auto* names : {&n.inputs, &n.captured})
      for (const std::string& name : *names) replaced.erase(name);
  std::erase_if(out.initializers, [&](const auto& i) { return replaced.contains(i.first); });
  out.ir_version = std::max<int64_t>(out.ir_version, 7);
  return out;
}

}  // namespace chainer::inference
