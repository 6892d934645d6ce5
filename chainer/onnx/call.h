// SPDX-License-Identifier: MIT
// A call of a node, as passed to the implementation of its operator.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/onnx/model_file.h"

namespace chainer::onnx {

/// The inputs and attributes of a node that is being run. Accessors throw an Error that names operator and node if an
/// input or attribute is missing or of another kind.
class Call {
 public:
  Call(const Node& node, int64_t opset, const Variables& in) : node_(node), opset_(opset), in_(in) {}

  const Node& node() const { return node_; }
  /// The version of the operator set of the model.
  int64_t opset() const { return opset_; }
  std::size_t count() const { return in_.size(); }
  bool has(std::size_t i) const { return i < in_.size() && in_[i]; }
  const Variable& operator[](std::size_t i) const;
  /// All inputs; absent ones are none.
  const Variables& inputs() const { return in_; }
  const Array& array(std::size_t i) const { return (*this)[i].array(); }
  Dtype dtype() const { return (*this)[0].dtype(); }
  /// Returns true if the inputs are floating; implementations then use functions, which have gradients.
  bool floating() const { return is_floating(dtype()); }
  /// Returns the elements of an integer input.
  std::vector<int64_t> values(std::size_t i) const;
  /// Returns the number of outputs of the node, without absent ones at the end.
  std::size_t outputs() const;
  bool wants(std::size_t output) const { return output < node_.outputs.size() && !node_.outputs[output].empty(); }

  const Attribute* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  int64_t integer(std::string_view name, std::optional<int64_t> otherwise = {}) const;
  double real(std::string_view name, std::optional<double> otherwise = {}) const;
  std::string text(std::string_view name, std::optional<std::string> otherwise = {}) const;
  std::vector<int64_t> integers(std::string_view name, std::optional<std::vector<int64_t>> otherwise = {}) const;
  std::vector<double> reals(std::string_view name, std::vector<double> otherwise = {}) const;
  std::vector<std::string> texts(std::string_view name, std::vector<std::string> otherwise = {}) const;
  const Array& tensor(std::string_view name) const;
  /// Returns the value of an attribute that became input `i` in a later operator set; nothing if neither is present.
  std::optional<std::vector<int64_t>> integers_or_input(std::string_view name, std::size_t i) const;
  /// Returns an axis in [0, ndim).
  int axis(int64_t axis, int ndim) const;

  /// Throws ValueError with the operator, the name of the node, and the parts.
  template <class... A>
  [[noreturn]] void fail(const A&... parts) const {
    throw ValueError(where(), ": ", parts...);
  }
  std::string where() const;
  /// Throws TypeError if floating inputs differ in dtype, which functions accept but ONNX operators do not.
  void expect_one_dtype() const;

 private:
  const Attribute& expect(std::string_view name, Attribute::Kind kind) const;
  const Node& node_;
  int64_t opset_;
  const Variables& in_;
};

/// The content of a slot: a tensor, a sequence of tensors, or neither (an absent or optional value).
struct SlotValue {
  Variable tensor;
  std::shared_ptr<const Variables> sequence;
};
using SlotValues = std::vector<SlotValue>;

/// A call of an operator with bodies or with sequences.
class ControlCall : public Call {
 public:
  /// Runs the body that an attribute contains.
  using RunBody = std::function<SlotValues(std::string_view attribute, const SlotValues& inputs)>;
  ControlCall(const Node& node, int64_t opset, const Variables& tensors, const SlotValues& values, RunBody run_body)
      : Call(node, opset, tensors), values_(values), run_body_(std::move(run_body)) {}

  const SlotValues& slots() const { return values_; }
  const Variables& sequence(std::size_t i) const;
  bool has_sequence(std::size_t i) const { return i < values_.size() && values_[i].sequence; }
  SlotValues run_body(std::string_view attribute, const SlotValues& inputs) const {
    return run_body_(attribute, inputs);
  }
  const Graph& graph(std::string_view attribute) const;

 private:
  const SlotValues& values_;
  RunBody run_body_;
};

/// One row of the table of operators.
struct Operator {
  std::string_view name;
  int64_t since;  ///< the first operator set that the implementation supports
  Variables (*run)(const Call&);
  uint32_t weights = 0;      ///< bit i: a floating initializer at input i is a trainable parameter
  uint32_t persistents = 0;  ///< bit i: a floating initializer at input i is a persistent value
  SlotValues (*control)(const ControlCall&) = nullptr;  ///< instead of run: has bodies or sequences
};

/// The operators of a chapter.
std::span<const Operator> activation_operators();
std::span<const Operator> arithmetic_operators();
std::span<const Operator> attention_operators();
std::span<const Operator> connection_operators();
std::span<const Operator> control_operators();
std::span<const Operator> creation_operators();
std::span<const Operator> elementwise_operators();
std::span<const Operator> image_operators();
std::span<const Operator> indexing_operators();
std::span<const Operator> language_operators();
std::span<const Operator> logic_operators();
std::span<const Operator> loss_operators();
std::span<const Operator> math_operators();
std::span<const Operator> microsoft_operators();
std::span<const Operator> normalization_operators();
std::span<const Operator> pooling_operators();
std::span<const Operator> quantization_operators();
std::span<const Operator> recurrent_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> region_operators();
std::span<const Operator> sampling_operators();
std::span<const Operator> sequence_operators();
std::span<const Operator> shape_operators();
std::span<const Operator> signal_operators();

/// Returns the row of an operator, or nullptr. The name of an operator of another domain begins with the domain:
/// com.microsoft.FusedMatMul.
const Operator* find_operator(std::string_view name);
const Operator* find_operator(const Node& node);

}  // namespace chainer::onnx
