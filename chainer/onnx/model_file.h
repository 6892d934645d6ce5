// The contents of an ONNX file as plain values. What reads and writes the messages is model_file_protobuf.cpp.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::onnx {

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
};

struct Node {
  std::string name, op_type, domain;
  std::vector<std::string> inputs, outputs;  // an empty name stands for an optional one that is absent
  std::vector<Attribute> attributes;
};

/// A length of an axis: known, named, or neither.
struct Dimension {
  int64_t length = -1;
  std::string name;
};

/// An input or output of the graph. Without a type it says nothing about its elements.
struct ValueInfo {
  std::string name;
  int element_type = 0;  // ONNX's number, see element_type(); -1 for what is no tensor
  bool has_shape = false;
  std::vector<Dimension> shape;
};

struct ModelFile {
  int64_t ir_version = 0;
  std::string producer_name, producer_version, graph_name;
  std::map<std::string, int64_t> opsets;  // by domain; the default domain is ""
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Node> nodes;
  std::vector<std::pair<std::string, Array>> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

/// The contents of a file's bytes. External data are read from files inside `folder` only; without a folder they are an
/// error. Every Error begins with `what`, the file's name.
ModelFile read_model(std::string_view bytes, const std::filesystem::path& folder, std::string_view what);
/// The bytes of a file. With `external`, tensors of 1 KiB and more go into that text, and the file refers to the file
/// `external_name` beside it.
std::string write_model(const ModelFile& model, std::string* external = nullptr, const std::string& external_name = {});

/// What Constant nodes hold, as initializers: programs differ in which of the two they write weights as.
void make_initializers(ModelFile& file);

/// One tensor in a file of its own, as the published operator tests keep inputs and outputs.
Array read_tensor(std::string_view bytes, std::string_view what);
std::string write_tensor(const Array& value, const std::string& name);

/// ONNX's number of a dtype.
int element_type(Dtype dtype);
/// The dtype that holds elements of that number; TypeError, begun with `what`, if there is none.
Dtype dtype_of_element(int64_t element_type, std::string_view what);

}  // namespace chainer::onnx
