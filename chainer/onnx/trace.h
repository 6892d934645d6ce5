// One run of a computation as the sequence of functions that its outputs need.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/variable.h"

namespace chainer::onnx {

using Computation = std::function<Variables(const Variables&)>;

/// Where a tensor of a run comes from.
struct Source {
  enum class Kind { constant, input, call };
  Kind kind = Kind::constant;
  std::size_t index = 0, output = 0;  ///< of the input; of the call and its output
  bool operator==(const Source&) const = default;
};

/// One tensor of a run. The array is that of a constant, a parameter or an input.
struct Value {
  Array array;
  Shape shape;
  Dtype dtype = float32;
  Source source;
  bool present = true;  ///< false for an output that nobody holds
};

/// A function of a run, or a composed one, or an imported model, as if it were a function. Behind the inputs stand the
/// arrays of positions that its index has.
struct Recorded {
  std::string label;  ///< its name in the table of exporters
  std::string exact;  ///< its label with the numbers in it
  std::vector<Value> inputs, outputs;
  NodeAttributes attributes;
  std::size_t index_from = 0;  ///< the first input that is an array of positions
};

struct Trace {
  std::vector<Recorded> calls;  ///< in order
  std::vector<Value> outputs;
  Variables inputs, results;
  std::vector<std::shared_ptr<const void>> keep;  ///< what must live for the arrays' identities to mean something
};

/// Runs f on these inputs in test mode.
std::shared_ptr<const Trace> trace(const Computation& f, const Variables& inputs);
/// The results alone.
Variables results_of(const Computation& f, const Variables& inputs);

}  // namespace chainer::onnx
