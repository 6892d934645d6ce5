// Variables: arrays that remember how they were computed.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "chainer/array/array.h"
#include "chainer/array/index.h"
#include "chainer/autograd/config.h"

namespace chainer {

class FunctionNode;
class Variable;
class VariableNode;

/// A short list of variables: what functions take and return.
using Variables = SmallVector<Variable, 2>;
Variables apply_function(Ref<FunctionNode> f, const Variable* const* inputs, std::size_t count);

/// Options of Variable::backward(), in the manual's order.
struct BackwardOptions {
  /// Keep the gradients of intermediate variables (those with a graph only while somebody holds the variable: a node
  /// that keeps a gradient which leads back to it would never go).
  bool retain_grad = false;
  bool enable_double_backprop = false;  ///< gradients carry a graph of their own
  std::optional<double> loss_scale = {};
};

/// An array with its place in the computational graph. Copies refer to the same array, node and gradient.
/// A default-constructed variable is none. Threads may read one variable together, and apply functions to it; graphs
/// that they share may be differentiated by one thread at a time.
class [[nodiscard]] Variable {
 public:
  Variable() = default;
  /// A root of a graph. (An array that is passed where a variable is wanted becomes one without gradient.)
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

  /// A reference into this variable; a temporary, as in f(x).array(), gives the array itself.
  const Array& array() const& { return array_; }
  Array array() && { return std::move(array_); }
  const Array& data() const& { return array_; }
  Array data() && { return std::move(array_); }
  /// Refers this handle to another array of the same graph position.
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

  /// The gradient's array, or none.
  Array grad() const;
  /// Sets it; kind, dtype and shape must be those of this variable. An empty array clears it.
  void set_grad(const Array& grad);
  /// The gradient as a variable, which has a graph after backward with enable_double_backprop.
  Variable grad_var() const;
  void set_grad_var(const Variable& grad);
  void cleargrad();
  /// Fills the gradient with zeros. Deprecated in favour of cleargrad().
  void zerograd();
  /// Adds the other variable's gradient to this one's; nothing if the other has none.
  void addgrad(const Variable& other);
  /// Copies the other variable's elements into this one's memory.
  void copydata(const Variable& other);

  /// Computes the gradients of everything this variable was computed from. A one-element variable starts from 1 (times
  /// loss_scale), any other needs its gradient set first. Does nothing for a variable without a creator. Where a
  /// function throws, all gradients are what they were before the call.
  void backward(const BackwardOptions& options = {}) const;
  /// Cuts this variable off the function that made it.
  void unchain();
  /// Cuts the whole graph behind this variable, as truncated backpropagation through time needs.
  void unchain_backward();
  /// Keeps the array in the node, for functions that read it backward.
  void retain_data();

  bool requires_grad() const;
  /// The function that made this variable, or none.
  Ref<FunctionNode> creator() const;
  void set_creator(const Ref<FunctionNode>& creator);
  int rank() const;
  const Ref<VariableNode> node() const;
  /// The node without making one: nullptr for a variable that no graph needs.
  VariableNode* node_pointer() const {
    return std::atomic_ref<VariableNode*>(node_).load(std::memory_order_acquire);  // another thread may make it now
  }
  std::string name() const;
  void set_name(std::string name);
  /// "(2, 2), float32"
  std::string label() const;
  /// <variable NAME>, or with its address
  std::string summary() const;
  /// Summary, device, shape, dtype and the statistics of data and gradient, in lines.
  std::string debug_print() const;

  // These are functions of the graph and defined beside them, in functions/array/variable_methods.cpp.
  Variable operator[](const Index& index) const;
  Variable operator[](std::initializer_list<Index> indices) const;
  Variable reshape(const Shape& shape) const;
  Variable transpose(const Axes& axes = {}) const;
  Variable T() const { return transpose(); }
  Variable to_device(const Device& device) const;
  Variable to_cpu() const { return to_device(Device()); }
  /// On that CUDA device; without a number on the thread's current one (Device::use), or else the first.
  Variable to_gpu(std::optional<int> id = {}) const { return to_device(gpu_device(id)); }

 private:
  friend class VariableNode;
  friend Variables apply_function(Ref<FunctionNode>, const Variable* const*, std::size_t);
  void drop() noexcept;
  VariableNode& ensure_node() const;
  Array array_;
  // Counted as one of the node's handles. Made when a graph first needs it, hence mutable.
  mutable VariableNode* node_ = nullptr;
};

/// The position of a variable in the graph. Functions refer to nodes, so that a variable's array can go when only
/// its gradient's path is needed. The gradient lives as long as a variable of this node does: a gradient with a graph
/// of its own leads back here, and would keep itself alive otherwise.
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
  /// A variable of this node, with the array if it was retained.
  Variable get_variable();
  const Array& data() const;
  FunctionNode* creator() const;
  const Ref<FunctionNode>& creator_ref() const { return creator_; }
  void set_creator(const Ref<FunctionNode>& f);
  void unchain();
  /// For who makes nodes outside of apply(): where this one stands in backward(), and whether it wants a gradient.
  void set_rank(int rank) { rank_ = rank; }
  void set_requires_grad(bool requires_grad) { requires_grad_ = requires_grad; }
  /// The scale of the loss that the gradient carries; nothing if it was not scaled.
  std::optional<double> loss_scale() const { return extra_ ? extra_->loss_scale : std::nullopt; }
  void set_loss_scale(std::optional<double> s);

  Variable grad;      ///< of leaves, and of others with retain_grad
  Variable arriving;  ///< while backward runs: what has been accumulated so far

 private:
  friend class Variable;
  friend class FunctionNode;
  friend class BackwardScope;
  friend struct Backprop;
  friend Variables apply_function(Ref<FunctionNode>, const Variable* const*, std::size_t);
  struct Extra {  // what few nodes have
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
  uint64_t changed_in_ = 0;  // the number of the BackwardScope that last saved the gradient
  Shape shape_;
  Ref<FunctionNode> creator_;
  std::unique_ptr<Extra> extra_;
};

/// The sum of two gradients; part of the graph if one is being built. Defined beside F::add.
Variable add_gradients(const Variable& a, const Variable& b);
/// A variable as it is; an array becomes one without gradient.
inline Variable as_variable(const Variable& v) { return v; }
/// NumPy-like text: variable([[1., 2.], ...]), with the name inserted.
std::string repr(const Variable& v);
std::string to_string(const Variable& v);
int64_t len(const Variable& v);

}  // namespace chainer
