// SPDX-License-Identifier: MIT
// Variables: arrays with a computational graph.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "chainer/array/array.h"
#include "chainer/array/index.h"
#include "chainer/autograd/config.h"
#include "chainer/core/other_options.h"

namespace chainer {

class FunctionNode;
class Variable;
class VariableNode;

/// A short list of variables: arguments and results of functions.
using Variables = SmallVector<Variable, 2>;
Variables apply_function(Ref<FunctionNode> f, const Variable* const* inputs, std::size_t count);

/// Returns the likely reason for which a variable has no graph, for messages.
std::string why_without_graph();

/// Options of Variable::backward(), in the manual's order.
struct BackwardOptions {
  /// Keep the gradients of intermediate variables. A gradient that has a graph is kept only while a handle to its
  /// variable exists, because it would otherwise keep itself alive.
  bool retain_grad = false;
  bool enable_double_backprop = false;  ///< make the gradients differentiable
  std::optional<double> loss_scale = {};
};

/// An array with its position in the computational graph. Copies refer to the same array, node and gradient. A
/// default-constructed variable is empty (None). Several threads may read a variable and apply functions to it at the
/// same time; backward() on graphs with common parts must run on one thread at a time.
class [[nodiscard]] Variable {
 public:
  Variable() = default;
  /// Creates a leaf of a graph. Throws TypeError if the array is empty and requires_grad is true. (An array passed as a
  /// Variable is converted to one that requires no gradient.)
  explicit Variable(Array array, bool requires_grad = true);
  Variable(Array array, const Ref<VariableNode>& node);
  Variable(const Variable& o);
  Variable(Variable&& o) noexcept : array_(std::move(o.array_)), node_(std::exchange(o.node_, nullptr)) {}
  Variable& operator=(const Variable& o) {
    Variable(o).swap(*this);
    return *this;
  }
  Variable& operator=(Variable&& o) noexcept {
    Variable(std::move(o)).swap(*this);
    return *this;
  }
  [[gnu::always_inline]] ~Variable() {
    if (node_) drop();
  }
  void swap(Variable& o) noexcept {
    std::swap(array_, o.array_);
    std::swap(node_, o.node_);
  }
  explicit operator bool() const { return static_cast<bool>(array_); }

  /// Returns the array; for a temporary, as in f(x).array(), by value.
  const Array& array() const& { return array_; }
  Array array() && { return std::move(array_); }
  const Array& data() const& { return array_; }
  Array data() && { return std::move(array_); }
  /// Sets another array. The position in the graph stays the same.
  void set_array(Array array);
  Dtype dtype() const { return array_.dtype(); }
  const Shape& shape() const& { return array_.shape(); }
  Shape shape() && { return array_.shape(); }
  int64_t shape(int64_t axis) const { return array_.shape(axis); }
  int ndim() const { return array_.ndim(); }
  int64_t size() const { return array_.size(); }
  Device device() const { return array_.device(); }
  template <class T>
  T item() const {
    return array_.item<T>();
  }

  /// Returns the array of the gradient; empty if there is none.
  Array grad() const;
  /// Sets the gradient; an empty array clears it. Throws TypeError if its device or dtype differs from this variable's,
  /// ValueError if its shape differs.
  void set_grad(const Array& grad);
  /// Returns the gradient as a variable, which has a graph after backward() with enable_double_backprop.
  Variable grad_var() const;
  void set_grad_var(const Variable& grad);
  void cleargrad();
  /// Fills the gradient with zeros. Deprecated in favour of cleargrad().
  void zerograd();
  /// Adds the gradient of `other` to this one's; does nothing if `other` has none.
  void addgrad(const Variable& other);
  /// Copies the elements of `other` into this variable's memory. Throws DimensionError if the shapes differ.
  void copydata(const Variable& other);

  /// Computes the gradients of this variable with respect to all variables it was computed from, and adds them to the
  /// gradients of the leaves. A variable of one element starts with gradient 1 (times loss_scale). Throws ValueError
  /// for any other variable whose gradient is not set. Warns and does nothing for a variable without a creator. If a
  /// function throws, all gradients are restored.
  void backward(const BackwardOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_METHOD(backward, ".retain_grad, .enable_double_backprop, .loss_scale");
  /// Detaches this variable from its creator.
  void unchain();
  /// Detaches all variables from which this one was computed, for truncated backpropagation through time.
  void unchain_backward();
  /// Keeps the array in the node, for VariableNode::data().
  void retain_data();

  bool requires_grad() const;
  /// Returns the function that computed this variable, or null.
  Ref<FunctionNode> creator() const;
  void set_creator(const Ref<FunctionNode>& creator);
  int rank() const;
  const Ref<VariableNode> node() const;
  /// Returns the node, or nullptr if none was created.
  VariableNode* node_pointer() const {
    return std::atomic_ref<VariableNode*>(node_).load(std::memory_order_acquire);  // another thread may be creating it
  }
  std::string name() const;
  void set_name(std::string name);
  /// Returns "(2, 2), float32".
  std::string label() const;
  /// Returns <variable NAME>, or an address instead of the name.
  std::string summary() const;
  /// Returns lines with the summary, device, shape, dtype, and statistics of data and gradient.
  std::string debug_print() const;

  // Functions of the graph, defined in functions/array/variable_methods.cpp.
  Variable operator[](const Index& index) const;
  Variable operator[](std::initializer_list<Index> indices) const;
  Variable reshape(const Shape& shape) const;
  Variable transpose(const Axes& axes = {}) const;
  Variable T() const { return transpose(); }
  Variable to_device(const Device& device) const;
  Variable to_cpu() const { return to_device(Device()); }
  /// Copies to a CUDA device; without a number, to the current device of the thread (Device::use), else the first.
  /// Throws DeviceError if there is no such device.
  Variable to_gpu(std::optional<int> id = {}) const { return to_device(gpu_device(id)); }

 private:
  friend class VariableNode;
  friend Variables apply_function(Ref<FunctionNode>, const Variable* const*, std::size_t);
  void drop() noexcept;
  VariableNode& ensure_node() const;
  Array array_;
  // Counted as one of the node's handles. Mutable because it is created when first needed.
  mutable VariableNode* node_ = nullptr;
};

/// The position of a variable in the graph. Functions refer to nodes instead of variables, so that arrays that
/// backward() does not need can be freed. The gradient is kept only as long as a variable of this node exists; a
/// gradient with a graph refers back to this node and would otherwise keep itself alive.
class VariableNode {
 public:
  VariableNode(const Shape& shape, Dtype dtype, bool requires_grad);
  ~VariableNode();
  static void destroy(VariableNode* n);
  RefCount refs;

  Dtype dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  bool requires_grad() const { return requires_grad_; }
  int rank() const { return rank_; }
  std::string label() const;
  std::string name() const { return extra_ ? extra_->name : std::string(); }
  /// Returns a variable of this node, with the array if it was retained.
  Variable get_variable();
  const Array& data() const;
  FunctionNode* creator() const;
  const Ref<FunctionNode>& creator_ref() const { return creator_; }
  void set_creator(const Ref<FunctionNode>& f);
  void unchain();
  /// For code that creates nodes outside of apply(): set the rank in backward(), and whether a gradient is required.
  void set_rank(int rank) { rank_ = rank; }
  void set_requires_grad(bool requires_grad) { requires_grad_ = requires_grad; }
  /// Returns the scale of the loss in the gradient; nothing if it was not scaled.
  std::optional<double> loss_scale() const { return extra_ ? extra_->loss_scale : std::nullopt; }
  void set_loss_scale(std::optional<double> s);
  /// If watched, last_reference() is called when the last reference is gone; if it returns false, it has taken over the
  /// reference, and the node is not destroyed. For an interpreter, whose objects stand for nodes.
  void watch(bool on) { watched_ = on; }
  static inline bool (*last_reference)(VariableNode&) = nullptr;

  Variable grad;      ///< of leaves; of other nodes with retain_grad
  Variable arriving;  ///< during backward(): the gradient accumulated so far

 private:
  friend class Variable;
  friend class FunctionNode;
  friend class ComposedCall;
  friend class BackwardScope;
  friend struct Backprop;
  friend Variables apply_function(Ref<FunctionNode>, const Variable* const*, std::size_t);
  struct Extra {  // members that few nodes need
    std::string name;
    Array data;
    std::optional<double> loss_scale;
  };
  Extra& extra() {
    if (!extra_) extra_ = std::make_unique<Extra>();
    return *extra_;
  }
  std::atomic<uint32_t> handles_{0};
  int32_t rank_ = 0;
  Dtype dtype_;
  bool requires_grad_;
  uint16_t output_index_ = 0;
  bool watched_ = false;
  uint64_t changed_in_ = 0;  // the BackwardScope that last saved the gradient
  Shape shape_;
  Ref<FunctionNode> creator_;
  std::unique_ptr<Extra> extra_;
};

/// Returns the sum of two gradients, with a graph if one is being built. Defined with F::add.
Variable add_gradients(const Variable& a, const Variable& b);
/// Returns a variable unchanged; an array is converted to a variable that requires no gradient.
inline Variable as_variable(const Variable& v) { return v; }
/// Return NumPy-like text: variable([[1., 2.], ...]), with the name inserted.
std::string repr(const Variable& v);
std::string to_string(const Variable& v);
int64_t len(const Variable& v);

}  // namespace chainer
