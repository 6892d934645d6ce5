// SPDX-License-Identifier: MIT
// A run of a computation, as the sequence of functions that contribute to its outputs.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/variable.h"

namespace chainer::onnx {

using Computation = std::function<Variables(const Variables&)>;

/// The origin of a tensor of a run.
struct Source {
  enum class Kind { constant, input, call };
  Kind kind = Kind::constant;
  std::size_t index = 0, output = 0;  ///< the number of the input, or of the call and its output
  bool operator==(const Source&) const = default;
};

/// A tensor of a run. `array` is set for constants, parameters and inputs.
struct Value {
  Array array;
  Shape shape;
  Dtype dtype = float32;
  Source source;
  bool present = true;  ///< false for an output that is not used
};

/// A function of a run, a composed function, or an imported model. The inputs are followed by the arrays of positions
/// in its index.
struct Recorded {
  std::string label;  ///< the name in the table of exporters
  std::string exact;  ///< the label including numbers
  std::vector<Value> inputs, outputs;
  NodeAttributes attributes;
  std::size_t index_from = 0;  ///< the first input that is an array of positions
};

struct Trace {
  std::vector<Recorded> calls;  ///< in order
  std::vector<Value> outputs;
  Variables inputs, results;
  std::vector<std::shared_ptr<const void>> keep;  ///< objects kept alive so that addresses identify arrays
};

/// Runs f on these inputs in test mode and returns the trace.
std::shared_ptr<const Trace> trace(const Computation& f, const Variables& inputs);
/// Runs f on these inputs in test mode and returns the results.
Variables results_of(const Computation& f, const Variables& inputs);

}  // namespace chainer::onnx
