// SPDX-License-Identifier: MIT
// The contents of an ONNX file as plain values. model_file_protobuf.cpp reads and writes the messages.
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
  std::vector<std::string> inputs, outputs;  // an empty name stands for an absent optional input or output
  std::vector<Attribute> attributes;
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

struct ModelFile {
  int64_t ir_version = 0;
  std::string producer_name, producer_version, graph_name;
  std::map<std::string, int64_t> opsets;  // by domain; the default domain is ""
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Node> nodes;
  std::vector<std::pair<std::string, Array>> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

/// Reads the bytes of a file. External data are read only from files inside `folder`. Throws FileError, beginning with
/// `what`, the name of the file, for a damaged file, and for external data outside of `folder` or without a folder.
ModelFile read_model(std::string_view bytes, const std::filesystem::path& folder, std::string_view what);
/// Returns the bytes of a file. With `external`, tensors of at least 1 KiB are written to this string, and the file
/// refers to the file `external_name` next to it. Throws ValueError for more than 2 GiB.
std::string write_model(const ModelFile& model, std::string* external = nullptr, const std::string& external_name = {});

/// Converts Constant nodes to initializers, because exporters write weights as either.
void make_initializers(ModelFile& file);

/// Read and write a file with one tensor, as the published operator tests use for inputs and outputs.
Array read_tensor(std::string_view bytes, std::string_view what);
std::string write_tensor(const Array& value, const std::string& name);

/// Returns ONNX's number of a dtype.
int element_type(Dtype dtype);
/// Returns the dtype of ONNX's number. Throws TypeError, beginning with `what`, if there is none.
Dtype dtype_of_element(int64_t element_type, std::string_view what);

}  // namespace chainer::onnx
