// One node at work: what an operator's implementation sees.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/onnx/model_file.h"

namespace chainer::onnx {

/// The inputs and attributes of a node that runs. Every accessor throws an Error that names operator and node where the
/// model does not fit.
class Call {
 public:
  Call(const Node& node, int64_t opset, const Variables& in) : node_(node), opset_(opset), in_(in) {}

  const Node& node() const { return node_; }
  /// The version of the operator set that the model was made for.
  int64_t opset() const { return opset_; }
  std::size_t count() const { return in_.size(); }
  bool has(std::size_t i) const { return i < in_.size() && in_[i]; }
  const Variable& operator[](std::size_t i) const;
  /// All inputs; absent ones are none.
  const Variables& inputs() const { return in_; }
  const Array& array(std::size_t i) const { return (*this)[i].array(); }
  Dtype dtype() const { return (*this)[0].dtype(); }
  /// Whether the inputs are floating, and an implementation goes through functions, which have gradients.
  bool floating() const { return is_floating(dtype()); }
  /// The elements of an integer input.
  std::vector<int64_t> values(std::size_t i) const;
  /// How many outputs the node names, absent ones behind the last named one left out.
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
  /// What was an attribute first and became input `i` later; nothing if neither is there.
  std::optional<std::vector<int64_t>> integers_or_input(std::string_view name, std::size_t i) const;
  /// An axis in [0, ndim).
  int axis(int64_t axis, int ndim) const;

  /// Throws a ValueError: the operator, the node's name, and what is wrong.
  template <class... A>
  [[noreturn]] void fail(const A&... parts) const {
    throw ValueError(where(), ": ", parts...);
  }
  std::string where() const;
  /// Throws a TypeError where floating inputs differ in dtype: functions take that, ONNX's operators do not.
  void expect_one_dtype() const;

 private:
  const Attribute& expect(std::string_view name, Attribute::Kind kind) const;
  const Node& node_;
  int64_t opset_;
  const Variables& in_;
};

/// One row of the table of operators.
struct Operator {
  std::string_view name;
  int64_t since;  ///< the first opset whose meaning the implementation has
  Variables (*run)(const Call&);
  uint32_t weights = 0;      ///< bit i: a floating initializer at input i is a parameter, to be trained
  uint32_t persistents = 0;  ///< bit i: it is a persistent value, saved with the model
};

/// The operators of a chapter.
std::span<const Operator> activation_operators();
std::span<const Operator> arithmetic_operators();
std::span<const Operator> connection_operators();
std::span<const Operator> creation_operators();
std::span<const Operator> elementwise_operators();
std::span<const Operator> image_operators();
std::span<const Operator> indexing_operators();
std::span<const Operator> logic_operators();
std::span<const Operator> loss_operators();
std::span<const Operator> math_operators();
std::span<const Operator> normalization_operators();
std::span<const Operator> pooling_operators();
std::span<const Operator> quantization_operators();
std::span<const Operator> recurrent_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> shape_operators();

/// The row of an operator of the default domain, or nullptr.
const Operator* find_operator(std::string_view name);

}  // namespace chainer::onnx
