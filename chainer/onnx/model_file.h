// SPDX-License-Identifier: MIT
// The contents of an ONNX file as plain values. model_file_protobuf.cpp reads and writes the messages.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::onnx {

struct Graph;

struct Attribute {
  enum class Kind { other, real, integer, text, tensor, reals, integers, texts, graph };
  std::string name;
  Kind kind = Kind::other;
  double real = 0;
  int64_t integer = 0;
  std::string text;
  Array tensor;
  std::vector<double> reals;
  std::vector<int64_t> integers;
  std::vector<std::string> texts;
  std::shared_ptr<Graph> graph = {};  ///< the body of a control flow operator
  std::string reference = {};         ///< in a function: the name of the attribute of its call
};

/// Return an attribute of the kind of the value.
Attribute attribute(std::string name, int64_t value);
Attribute attribute(std::string name, int value);
Attribute attribute(std::string name, double value);
Attribute attribute(std::string name, std::string value);
Attribute attribute(std::string name, const Dims& values);

struct Node {
  std::string name, op_type, domain;
  std::vector<std::string> inputs, outputs;  // an empty name stands for an absent optional input or output
  std::vector<Attribute> attributes;
  std::string overload = {};  // selects one of the file's functions with this name
  int64_t opset = 0;          // the operator set of the function that the node comes from; 0: that of the file
  std::vector<std::string> captured = {};  // tensors of outer graphs that bodies read, see resolve_names()
};

/// A length of an axis: known, named, or neither.
struct Dimension {
  int64_t length = -1;
  std::string name;
};

/// An input or output of the graph; the type of its elements may be unspecified.
struct ValueInfo {
  std::string name;
  int element_type = 0;  // ONNX's number, see element_type(); -1 if the value is not a tensor
  bool has_shape = false;
  std::vector<Dimension> shape;
};

/// Nodes with their constants: that of a file, or the body of a control flow operator.
struct Graph {
  std::vector<Node> nodes;
  std::vector<std::pair<std::string, Array>> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

/// An operator that a file defines by other operators.
struct Function {
  std::string name, domain, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<Attribute> defaults;
  std::vector<Node> nodes;
  int64_t opset = 0;  // of the default domain; 0: that of the file
};

struct ModelFile : Graph {
  int64_t ir_version = 0;
  std::string producer_name, producer_version, graph_name;
  std::map<std::string, int64_t> opsets;  // by domain; the default domain is ""
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Function> functions;
};

/// Reads the bytes of a file. External data are read only from files inside `folder`. Throws FileError, beginning with
/// `what`, the name of the file, for a damaged file, and for external data outside of `folder` or without a folder.
ModelFile read_model(std::string_view bytes, const std::filesystem::path& folder, std::string_view what);
/// Returns the bytes of a file. With `external`, tensors of at least 1 KiB are written to this string, and the file
/// refers to the file `external_name` next to it. Throws ValueError for more than 2 GiB.
std::string write_model(const ModelFile& model, std::string* external = nullptr, const std::string& external_name = {});

/// Replaces nodes that call functions of the file by the nodes of these functions, also within bodies. Throws
/// ValueError, beginning with `what`, for functions that call themselves and for more nodes than a file can have.
void inline_functions(ModelFile& file, std::string_view what);
/// Converts Constant nodes to initializers, because exporters write weights as either.
void make_initializers(ModelFile& file);
/// Gives tensors of bodies names that no other graph of the file has, moves their initializers to the file, and lists
/// for each node which tensors of outer graphs its bodies read. Throws ValueError, beginning with `what`, for two
/// tensors of a body with the same name.
void resolve_names(ModelFile& file, std::string_view what);
/// Sorts nodes topologically; keeps the order of the file if it is one. Throws ValueError for a cycle.
void sort_nodes(Graph& graph, std::string_view what);

/// Read and write a file with one tensor, as the published operator tests use for inputs and outputs.
Array read_tensor(std::string_view bytes, std::string_view what);
std::string write_tensor(const Array& value, const std::string& name);

/// Returns ONNX's number of a dtype.
int element_type(Dtype dtype);
/// Returns the dtype of ONNX's number. Throws TypeError, beginning with `what`, if there is none.
Dtype dtype_of_element(int64_t element_type, std::string_view what);

}  // namespace chainer::onnx
