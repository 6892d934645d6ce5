// The graph of an export while it is written: what the functions that write nodes see.
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

/// Thrown while a file for batches of any length is written, where only one length is possible.
struct OneBatchOnly {
  std::string why;
};

using Lengths = std::vector<int64_t>;

/// Writes the same functions as they ran once, or as they ran with several lengths of the batch: numbers that differ
/// between these runs become operators that compute them from the batch's length.
class Emitter {
 public:
  Emitter(int64_t opset, std::vector<std::shared_ptr<const Trace>> runs, std::vector<int64_t> batches)
      : opset_(opset), runs_(std::move(runs)), batches_(std::move(batches)) {}

  ModelFile file;
  int64_t opset() const { return opset_; }
  const std::vector<std::shared_ptr<const Trace>>& runs() const { return runs_; }

  /// The name of a tensor, which is the same one in all runs: made by a node before, a parameter, an input, or a
  /// constant that is added now.
  std::string name(const std::vector<const Value*>& in_runs);
  void define_input(std::size_t i, const std::string& name);
  void define(const Array& array, const std::string& name) { arrays_[array.body_ref().get()] = {array, name}; }
  /// The name that an output of a call gets when a node makes it.
  void wish(const Source& s, const std::string& name) { wishes_.emplace(key(s), name); }
  std::string new_name(std::size_t call, std::size_t output);
  std::string unique(const std::string& wish);

  /// Adds a node with one output of this name, or of a new one.
  std::string node(std::string_view op, std::vector<std::string> inputs, std::vector<Attribute> attributes = {},
                   const std::string& output = {});
  void node(std::string_view op, std::vector<std::string> inputs, std::vector<std::string> outputs,
            std::vector<Attribute> attributes);
  /// An initializer without a name of its own.
  std::string constant(const Array& value);
  std::string number(double value, Dtype dtype);
  std::string integers(const Lengths& values);
  std::string integers(const Dims& values) { return integers(Lengths(values.begin(), values.end())); }
  std::string integers(std::initializer_list<int64_t> values) { return integers(Lengths(values)); }

  /// What differs between the runs, computed from the batch's length: a list of lengths, a number, an array.
  std::string lengths(const std::vector<Lengths>& in_runs);
  std::string number(const std::vector<double>& in_runs, Dtype dtype);
  std::string varying(const Arrays& in_runs);
  /// How a length is declared that an axis of an input or output has in the runs.
  Dimension dimension(const Lengths& in_runs) const;

 private:
  using Key = std::pair<std::size_t, std::size_t>;  // a call and its output
  static Key key(const Source& s) { return {s.index, s.output}; }
  struct Line {
    int64_t factor, offset;  // factor * batch + offset
  };
  std::optional<Line> line(const Lengths& in_runs) const;
  const std::string& batch();  // its length as a number without axes
  std::string length(const Lengths& in_runs, bool axis);

  int64_t opset_;
  std::vector<std::shared_ptr<const Trace>> runs_;
  std::vector<int64_t> batches_;
  std::string batch_;
  std::vector<std::string> inputs_;
  std::map<Key, std::string> made_, wishes_;
  std::map<const ArrayBody*, std::pair<Array, std::string>> arrays_;
  std::map<const ArrayBody*, std::pair<Array, std::string>> varying_;
  std::map<std::string, std::string> known_;  // small constants by their bytes
  std::set<std::string> names_;
  int64_t counter_ = 0;
};

Attribute attribute(std::string name, int64_t value);
Attribute attribute(std::string name, int value);
Attribute attribute(std::string name, double value);
Attribute attribute(std::string name, std::string value);
Attribute attribute(std::string name, const Dims& values);

/// Whether two arrays hold the same elements; NaN is the same as NaN.
bool same(const Array& a, const Array& b);

/// One function at work: shapes and attributes are those of one of the runs.
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
  /// The name of an output, which a node is about to make; nothing where nobody reads it.
  std::string out(std::size_t i = 0) const;
  template <class T>
  const T& get(std::string_view name) const {
    return call.attributes.get<T>(name);
  }
  /// What f(Emission), which gives lengths or a number, says of every run.
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
std::span<const Exporter> imported_exporters();
std::span<const Exporter> loss_exporters();
std::span<const Exporter> math_exporters();

/// Adds a node of an imported file of operator set `from` as what says the same in the emitter's.
void add_upgraded(Emitter& e, Node node, int64_t from);

}  // namespace chainer::onnx
