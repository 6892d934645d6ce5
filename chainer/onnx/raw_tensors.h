// SPDX-License-Identifier: MIT
// Weights in the bytes of a file, which protobuf would copy.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace chainer::onnx {

struct SplitModel {
  bool valid = false;
  std::string rest;                          ///< the message without the elements of large weights
  std::vector<std::string_view> of_weights;  ///< the elements of each initializer of the graph; null if in `rest`
};

/// Separates the elements (raw_data) of the graph's initializers from an encoded ModelProto. Returns an empty `rest`
/// for bytes that are not valid.
SplitModel split_model(std::string_view bytes);

}  // namespace chainer::onnx
