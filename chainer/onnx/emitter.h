// The graph of an export while it is written: what the functions that write nodes see.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/onnx/model_file.h"
#include "chainer/onnx/onnx.h"

namespace chainer::onnx {

/// One tensor of a recorded run: its place in the graph, or the array of a constant.
struct Value {
  const VariableNode* node = nullptr;
  Array array;  ///< of constants and inputs; none for what is computed
  Shape shape;
  Dtype dtype = float32;
};

/// A function of a recorded run, or a composed one as if it were a function.
struct Recorded {
  std::string label;
  std::vector<Value> inputs, outputs;  ///< outputs that nobody holds have no node
  NodeAttributes attributes;
};

class Emitter {
 public:
  Emitter(const ExportOptions& options, int64_t batch) : options_(options), batch_(batch) {}

  ModelFile file;
  int64_t opset() const { return options_.opset; }
  /// Whether a length of a first axis stands for whatever batch a run has.
  bool is_batch(int64_t length) const { return batch_ >= 0 && length == batch_; }
  /// Says that a function takes this first axis apart: if it is the batch's, the batch cannot have another length.
  void takes_apart(const Shape& shape) { fixed_ |= shape.ndim() && is_batch(shape[0]); }
  bool batch_is_fixed() const { return fixed_; }

  /// The name of a tensor: made by a node before, a parameter, an input, or a constant that is added now.
  std::string name(const Value& v);
  /// Gives a tensor its name.
  void define(const VariableNode* node, const std::string& name) { nodes_[node] = name; }
  void define(const Array& array, const std::string& name) { arrays_[array.body_ref().get()] = {array, name}; }
  /// The name that a tensor gets when a node makes it.
  void wish(const VariableNode* node, const std::string& name) { wishes_.emplace(node, name); }
  std::string new_name(const VariableNode* node);
  std::string unique(const std::string& wish);

  /// Adds a node with one output of this name, or of a new one.
  std::string node(std::string_view op, std::vector<std::string> inputs, std::vector<Attribute> attributes = {},
                   const std::string& output = {});
  void node(std::string_view op, std::vector<std::string> inputs, std::vector<std::string> outputs,
            std::vector<Attribute> attributes);
  /// An initializer without a name of its own.
  std::string constant(const Array& value);
  std::string number(double value, Dtype dtype);
  std::string integers(const Dims& values);

 private:
  const ExportOptions& options_;
  int64_t batch_;
  bool fixed_ = false;
  std::map<const VariableNode*, std::string> nodes_, wishes_;
  std::map<const ArrayBody*, std::pair<Array, std::string>> arrays_;
  std::map<std::string, std::string> known_;  // small constants by their bytes
  std::set<std::string> names_;
  int64_t counter_ = 0;
};

Attribute attribute(std::string name, int64_t value);
Attribute attribute(std::string name, int value);
Attribute attribute(std::string name, double value);
Attribute attribute(std::string name, std::string value);
Attribute attribute(std::string name, const Dims& values);

/// One function at work.
struct Emission {
  Emitter& e;
  const Recorded& call;

  std::string in(std::size_t i) const { return e.name(call.inputs[i]); }
  const Shape& shape(std::size_t i) const { return call.inputs[i].shape; }
  Dtype dtype() const { return call.inputs[0].dtype; }
  const Shape& result() const { return call.outputs[0].shape; }
  /// The name of an output, which a node is about to make.
  std::string out(std::size_t i = 0) const;
  template <class T>
  const T& get(std::string_view name) const {
    return call.attributes.get<T>(name);
  }
  /// A node that makes the first output.
  void finish(std::string_view op, std::vector<std::string> inputs, std::vector<Attribute> attributes = {}) const {
    e.node(op, std::move(inputs), std::move(attributes), out());
  }
  template <class... A>
  [[noreturn]] void fail(const A&... parts) const {
    throw ValueError("onnx: export of ", call.label, ": ", parts...);
  }
};

/// A row of the table of functions that ONNX can say.
struct Exporter {
  std::string_view label;
  void (*emit)(const Emission&);
};
std::span<const Exporter> array_exporters();
std::span<const Exporter> connection_exporters();
std::span<const Exporter> loss_exporters();
std::span<const Exporter> math_exporters();

}  // namespace chainer::onnx
