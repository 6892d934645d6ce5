// SPDX-License-Identifier: MIT
// Converts operators of older sets to newer ones.
#include <algorithm>

#include "chainer/onnx/call.h"
#include "chainer/onnx/emitter.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

class Upgrade {
 public:
  Upgrade(Emitter& e, Node& n, int64_t from, Dtype dtype) : e_(e), n_(n), from_(from), dtype_(dtype) {}

  /// Returns true if the conversion crosses operator set `since`.
  bool crosses(int64_t since) const { return from_ < since && e_.opset() >= since; }
  std::optional<Attribute> taken(std::string_view name) {
    for (auto it = n_.attributes.begin(); it != n_.attributes.end(); ++it)
      if (it->name == name) {
        Attribute a = std::move(*it);
        n_.attributes.erase(it);
        return a;
      }
    return std::nullopt;
  }
  /// Moves an attribute (a list or a number) to input i.
  void to_input(std::string_view name, std::size_t i) {
    const auto a = taken(name);
    if (!a) return;
    input(i, a->kind == Attribute::Kind::integers  ? e_.integers(a->integers)
             : a->kind == Attribute::Kind::integer ? e_.integers({a->integer})
             : a->kind == Attribute::Kind::reals   ? list(a->reals)
                                                   : e_.number(a->real, dtype_));
  }
  void input(std::size_t i, const std::string& name) {
    if (n_.inputs.size() <= i) n_.inputs.resize(i + 1);
    n_.inputs[i] = name;
  }
  void set(std::string name, std::string value) {
    n_.attributes.push_back(attribute(std::move(name), std::move(value)));
  }
  std::string list(const std::vector<double>& values) {
    return e_.constant(array(values, Shape{static_cast<int64_t>(values.size())}).astype(float32));
  }
  void rows_of_softmax();
  void resize();
  void crop_ends();
  void axis_of_transform();
  void mode_of_sampling();
  void numbers_of_channels();
  bool finished = false;

 private:
  Emitter& e_;
  Node& n_;
  int64_t from_;
  Dtype dtype_;  // the dtype of the first input
};

// Older Softmax treats all axes from `axis` on as one.
void Upgrade::rows_of_softmax() {
  const auto axis = taken("axis");
  const std::string rows = e_.node("Flatten", {n_.inputs[0]}, {attribute("axis", axis ? axis->integer : int64_t(1))});
  const std::string y = e_.node(n_.op_type, {rows}, {attribute("axis", 1)});
  e_.node("Reshape", {y, e_.node("Shape", {n_.inputs[0]})}, {}, n_.outputs[0]);
  finished = true;
}

// Operator set 10 used "asymmetric" positions and "floor" for the nearest element.
void Upgrade::resize() {
  std::string scales;
  if (const auto given = taken("scales"))
    scales = list(given->reals);
  else
    scales = n_.inputs.at(1);
  n_.op_type = "Resize";
  n_.inputs = {n_.inputs[0], "", scales};
  if (const auto mode = taken("mode")) set("mode", mode->text == "nearest" ? "nearest" : "linear");
  set("coordinate_transformation_mode", "asymmetric");
  set("nearest_mode", "floor");
}

// Before operator set 11, a transposed convolution of a given shape cropped an odd element at the end by default.
void Upgrade::crop_ends() {
  const auto is = [](std::string_view name) { return [name](const Attribute& a) { return a.name == name; }; };
  if (std::none_of(n_.attributes.begin(), n_.attributes.end(), is("output_shape"))) return;
  const auto mode = taken("auto_pad");
  set("auto_pad", !mode || mode->text == "NOTSET" ? "SAME_UPPER" : mode->text);
}

void Upgrade::axis_of_transform() {
  const auto axis = taken("axis");
  input(2, e_.constant(array(axis ? axis->integer : int64_t(1))));
}

void Upgrade::mode_of_sampling() {
  const auto mode = taken("mode");
  if (!mode) return;  // the default has a new name, too
  set("mode", mode->text == "bilinear" ? "linear" : mode->text == "bicubic" ? "cubic" : mode->text);
}

// Before operator set 21, group normalization had a factor and a term per group instead of per channel.
void Upgrade::numbers_of_channels() {
  const std::string channels = e_.node("Shape", {n_.inputs.at(0)}, {attribute("start", 1), attribute("end", 2)});
  for (const std::size_t i : {1, 2}) {
    const std::string given = n_.inputs.at(i), columns = e_.node("Div", {channels, e_.node("Shape", {given})});
    const std::string shape = e_.node("Concat", {e_.integers({1}), columns}, {attribute("axis", 0)});
    const std::string rows = e_.node("Expand", {e_.node("Unsqueeze", {given, e_.integers({1})}), shape});
    n_.inputs[i] = e_.node("Reshape", {rows, e_.integers({-1})});
  }
}

}  // namespace

void add_upgraded(Emitter& e, Node n, int64_t from, Dtype dtype) {
  if (!n.domain.empty()) {
    e.file.opsets[n.domain] = 1;
    n.name = e.unique(n.name.empty() ? n.op_type : n.name);
    e.file.nodes.push_back(std::move(n));
    return;
  }
  if (from > e.opset())
    throw ValueError("onnx: export in operator set ", e.opset(), ": an imported model is of set ", from,
                     " and cannot be converted to an older one");
  Upgrade u(e, n, from, dtype);
  const std::string op = n.op_type;
  const bool reduction = op.starts_with("Reduce");
  if (u.crosses(10) && op == "Slice")
    for (const auto& [name, i] : {std::pair("starts", 1), std::pair("ends", 2), std::pair("axes", 3)})
      u.to_input(name, static_cast<std::size_t>(i));
  if (u.crosses(10) && op == "TopK") u.to_input("k", 1);
  if ((u.crosses(10) && op == "Upsample") || (u.crosses(11) && op == "Resize")) u.resize();
  if (u.crosses(9) && op == "BatchNormalization") u.taken("spatial");
  if (u.crosses(11) && op == "Clip") u.to_input("min", 1), u.to_input("max", 2);
  if (u.crosses(11) && op == "Pad") u.to_input("pads", 1), u.to_input("value", 2);
  if (u.crosses(11) && op == "ConvTranspose") u.crop_ends();
  if (u.crosses(11) && op == "Scatter") n.op_type = "ScatterElements";
  if (u.crosses(12) && op == "Dropout") u.to_input("ratio", 1);
  if (u.crosses(13) && (op == "Squeeze" || op == "Unsqueeze" || op == "ReduceSum")) u.to_input("axes", 1);
  if (u.crosses(13) && op == "Split") u.to_input("split", 1);
  if (u.crosses(13) && (op == "Softmax" || op == "LogSoftmax" || op == "Hardmax")) u.rows_of_softmax();
  if (u.crosses(14) && op == "BatchNormalization") n.outputs.resize(1);
  if (u.crosses(16) && op == "RoiAlign") u.set("coordinate_transformation_mode", "output_half_pixel");
  if (u.crosses(18) && reduction && op != "ReduceSum") u.to_input("axes", 1);
  if (u.crosses(18) && op == "Split" && (n.inputs.size() < 2 || n.inputs[1].empty()))
    n.attributes.push_back(attribute("num_outputs", static_cast<int64_t>(n.outputs.size())));
  if (u.crosses(20) && op == "DFT") u.axis_of_transform();
  if (u.crosses(20) && op == "GridSample") u.mode_of_sampling();
  if (u.crosses(21) && op == "GroupNormalization") u.numbers_of_channels();
  if (u.finished) return;
  n.opset = 0;
  n.name = e.unique(n.name.empty() ? n.op_type : n.name);
  e.file.nodes.push_back(std::move(n));
}

}  // namespace chainer::onnx
