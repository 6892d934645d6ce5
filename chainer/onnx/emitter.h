// SPDX-License-Identifier: MIT
// The graph of an export under construction, for the functions that write nodes.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "chainer/onnx/model_file.h"
#include "chainer/onnx/onnx.h"
#include "chainer/onnx/trace.h"

namespace chainer::onnx {

/// Thrown while writing a file for any lengths of some axes, if only one length is possible.
struct FixedLengths {
  std::string why;
};

using Lengths = std::vector<int64_t>;

/// A length that the file leaves free: that of an axis of an input.
struct FreeLength {
  std::string name;  ///< "batch" for the first axis of all inputs
  std::size_t input = 0;
  int axis = 0;
  Lengths in_runs = {};  ///< the length in each run
};

/// Writes the functions of one run, or of several runs with different free lengths: numbers that differ between the
/// runs become operators that compute them from lengths of inputs and of earlier results.
class Emitter {
 public:
  Emitter(int64_t opset, std::vector<std::shared_ptr<const Trace>> runs, std::vector<FreeLength> free)
      : opset_(opset), runs_(std::move(runs)), free_(std::move(free)) {}

  ModelFile file;
  /// True if the file is for this library: its operators then reject what the functions reject.
  bool refuses = false;
  int64_t opset() const { return opset_; }
  const std::vector<std::shared_ptr<const Trace>>& runs() const { return runs_; }

  /// Returns the name of a tensor, given its values in all runs: the output of an earlier node, a parameter, an input,
  /// or a constant, which is added.
  std::string name(const std::vector<const Value*>& in_runs);
  void define_input(std::size_t i, const std::string& name);
  void define(const Array& array, const std::string& name) { arrays_[array.body_ref().get()] = {array, name}; }
  /// Sets the name of an output of a call.
  void wish(const Source& s, const std::string& name) { wishes_.emplace(key(s), name); }
  std::string new_name(std::size_t call, std::size_t output);
  std::string unique(const std::string& wish);

  /// Adds a node with one output, named `output` or a new name, and returns the name.
  std::string node(std::string_view op, std::vector<std::string> inputs, std::vector<Attribute> attributes = {},
                   const std::string& output = {});
  void node(std::string_view op, std::vector<std::string> inputs, std::vector<std::string> outputs,
            std::vector<Attribute> attributes);
  /// Add an initializer and return its new name.
  std::string constant(const Array& value);
  std::string number(double value, Dtype dtype);
  std::string integers(const Lengths& values);
  std::string integers(const Dims& values) { return integers(Lengths(values.begin(), values.end())); }
  std::string integers(std::initializer_list<int64_t> values) { return integers(Lengths(values)); }

  /// Return the name of a list of lengths, a number or an array that differs between the runs, computed from lengths
  /// of inputs and of earlier results.
  std::string lengths(const std::vector<Lengths>& in_runs);
  std::string number(const std::vector<double>& in_runs, Dtype dtype);
  std::string varying(const Arrays& in_runs);
  /// Returns the declaration of the length of an axis of an input or output, given its lengths in the runs.
  Dimension dimension(const Lengths& in_runs) const;

 private:
  using Key = std::pair<std::size_t, std::size_t>;  // a call and its output
  static Key key(const Source& s) { return {s.index, s.output}; }
  /// A length that operators of the file can compute: the product of axes of tensors.
  struct Quantity {
    Lengths in_runs;
    std::vector<std::pair<std::string, int>> factors;  ///< names of tensors, and axes
  };
  struct Line {
    int64_t factor, offset;
  };
  static std::optional<Line> line(const Lengths& x, const Lengths& y);  ///< y = factor * x + offset
  std::vector<Quantity> known(bool products) const;
  std::string compute(const Quantity& q);  ///< of shape ()
  std::string length(const Lengths& in_runs, bool axis);
  template <class T>
  std::string differing(const std::vector<T>& in_runs) const;

  int64_t opset_;
  std::vector<std::shared_ptr<const Trace>> runs_;
  std::vector<FreeLength> free_;
  std::vector<std::string> inputs_;
  std::map<Key, std::string> made_, wishes_;
  std::map<const ArrayBody*, std::pair<Array, std::string>> arrays_;
  std::map<const ArrayBody*, std::pair<Array, std::string>> varying_;
  std::map<std::string, std::string> known_;  // small constants by their bytes
  std::set<std::string> names_;
  int64_t counter_ = 0;
};

/// Returns true if two arrays hold the same elements; NaN equals NaN.
bool same(const Array& a, const Array& b);

/// A function that is being written, with the shapes and attributes of one of the runs.
struct Emission {
  Emission(Emitter& emitter, std::size_t call_, std::size_t run = 0)
      : e(emitter), call(emitter.runs()[run]->calls[call_]), index(call_) {}
  Emitter& e;
  const Recorded& call;
  std::size_t index;

  std::string in(std::size_t i) const;
  const Shape& shape(std::size_t i) const { return call.inputs[i].shape; }
  Dtype dtype() const { return call.inputs[0].dtype; }
  const Shape& result() const { return call.outputs[0].shape; }
  /// Returns the name of an output for the next node; empty if the output is not used.
  std::string out(std::size_t i = 0) const;
  template <class T>
  const T& get(std::string_view name) const {
    return call.attributes.get<T>(name);
  }
  /// Return the name of the result of f(Emission), lengths or a number, over all runs.
  template <class F>
  std::string integers(const F& f) const {
    std::vector<Lengths> lists;
    for (const auto& list : each(f)) lists.emplace_back(list.begin(), list.end());
    return e.lengths(lists);
  }
  template <class F>
  std::string number(const F& f, Dtype dtype) const {
    return e.number(each(f), dtype);
  }
  template <class F>
  auto each(const F& f) const {
    std::vector<decltype(f(*this))> out;
    for (std::size_t k = 0; k < e.runs().size(); ++k) out.push_back(f(Emission(e, index, k)));
    return out;
  }
  /// Adds the node of the first output.
  void finish(std::string_view op, std::vector<std::string> inputs, std::vector<Attribute> attributes = {}) const {
    e.node(op, std::move(inputs), std::move(attributes), out());
  }
  template <class... A>
  [[noreturn]] void fail(const A&... parts) const {
    throw ValueError("onnx: export of ", call.label, ": ", parts...);
  }
};

/// A row of the table of functions that can be exported.
struct Exporter {
  std::string_view label;
  void (*emit)(const Emission&);
};
std::span<const Exporter> array_exporters();
std::span<const Exporter> connection_exporters();
std::span<const Exporter> imported_exporters();
std::span<const Exporter> loss_exporters();
std::span<const Exporter> math_exporters();

/// Adds equivalent nodes for a node of an imported file of operator set `from`; `dtype` is that of its first input.
/// Throws ValueError if there are none.
void add_upgraded(Emitter& e, Node node, int64_t from, Dtype dtype);

}  // namespace chainer::onnx
