// SPDX-License-Identifier: MIT
// Function nodes: applications of differentiable functions.
#pragma once
#include <array>
#include <concepts>
#include <map>
#include <memory>
#include <vector>

#include "chainer/autograd/composed_call.h"
#include "chainer/autograd/mixed_precision.h"
#include "chainer/autograd/type_check.h"
#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {

class FunctionHook;

/// Positions of inputs or outputs.
using Indexes = SmallVector<int, 4>;

/// Base class of all functions. A subclass defines forward() on arrays and backward() on variables. Because backward()
/// is written in terms of functions, gradients of any order are available. An instance is applied once, by apply().
///
///   struct Square : FunctionNode {
///     Arrays forward(const Arrays& x) override { retain_inputs({0}); return {x[0] * x[0]}; }
///     Variables backward(const Indexes&, const Variables& gy) override {
///       auto [x] = retained_inputs<1>();
///       return {2 * x * gy[0]};
///     }
///   };
class FunctionNode {
 public:
  RefCount refs;
  FunctionNode() = default;
  /// Moves the hooks only: a node is moved only before it is applied, when it has no other state.
  FunctionNode(FunctionNode&& f) noexcept : extra_(std::move(f.extra_)) {}
  FunctionNode(const FunctionNode&) = delete;
  FunctionNode& operator=(const FunctionNode&) = delete;
  virtual ~FunctionNode();
  static void destroy(FunctionNode* f);

  /// Returns the outputs, computed from the arrays of the inputs.
  virtual Arrays forward(const Arrays& inputs) = 0;
  /// Returns the gradients with respect to the inputs in `wanted`: one per input, or one per entry of `wanted`. `gy`
  /// are the gradients with respect to the outputs. Empty variables, in `gy` and in the result, mean that there is no
  /// gradient.
  virtual Variables backward(const Indexes& wanted, const Variables& gy);
  /// As backward(), but returns the sums with `gx`, the previous gradients with respect to the inputs in `wanted`. Only
  /// for functions that can add more cheaply than by a separate addition; accumulates() must then return true. The
  /// default throws NotImplementedError.
  virtual Variables backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx);
  /// Returns true if backward_accumulate() is defined.
  virtual bool accumulates() const { return false; }
  /// Returns true if backward() also adds to gradients of leaves that are not inputs, because it differentiates other
  /// functions. A GradientHook is not called for leaves until all such functions have run.
  virtual bool adds_to_other_leaves() const { return false; }
  /// Returns true if forward() runs code that may replace or drop the variables of the call; their arrays are then kept
  /// until it returns. By default true for all classes outside of this library's functions.
  virtual bool keeps_inputs() const;
  /// Returns how apply() casts the inputs in mixed precision.
  virtual MixedPrecision mixed_precision() const { return MixedPrecision::widest; }
  /// Checks dtypes and shapes with type_check::expect(), before forward(). A failed condition throws InvalidType with
  /// an explanation; without config().type_check, a TypeError with dtypes and shapes.
  virtual void check_type_forward(const type_check::TypeInfos& in_types) const { (void)in_types; }
  /// Returns the name in graphs and hooks, by default the class name.
  virtual std::string label() const { return impl_name(); }
  /// Returns the class name, also of a function that is written in another language.
  virtual std::string impl_name() const;

  const SmallVector<Ref<VariableNode>, 2>& inputs() const { return inputs_; }
  /// Returns the output nodes; nullptr for those that no longer exist.
  const SmallVector<VariableNode*, 1>& outputs() const { return outputs_; }
  int rank() const { return rank_; }
  /// Detaches this function from its outputs and drops its inputs.
  void unchain();
  /// Adds a hook for this function only, called after those of the thread. Throws KeyError if the name is used already;
  /// delete_hook() throws KeyError for an unknown name.
  void add_hook(std::shared_ptr<FunctionHook> hook, const std::string& name = {});
  void delete_hook(const std::string& name);
  /// Returns the composed call that this function completes, or nullptr.
  ComposedCall* composed_call() const { return extra_ ? extra_->call.get() : nullptr; }
  void set_composed_call(const Ref<ComposedCall>& call);
  /// Returns true if this function is a part of a composed call other than its end.
  bool is_inside() const { return inside_; }
  void set_inside() { inside_ = true; }
  /// As for VariableNode.
  void watch(bool on) { watched_ = on; }
  static inline bool (*last_reference)(FunctionNode&) = nullptr;

  /// Returns the arrays of the retained inputs; empty for the others. This function and the next five throw
  /// RuntimeError, naming the array, if a retained array was written since forward(); they warn if an optimizer updated
  /// it.
  Arrays input_data() const;
  /// Returns the arrays of the retained outputs; empty for the others.
  Arrays output_data() const;

 protected:
  /// To be called in forward(): retain the arrays of these inputs or outputs for backward(). By default none is
  /// retained.
  void retain_inputs(std::initializer_list<int> indexes) { retained_in_ = Indexes(indexes.begin(), indexes.end()); }
  void retain_inputs(const Indexes& indexes) { retained_in_ = indexes; }
  void retain_outputs(std::initializer_list<int> indexes) { retained_out_ = Indexes(indexes.begin(), indexes.end()); }
  void retain_outputs(const Indexes& indexes) { retained_out_ = indexes; }
  /// To be called in backward(): return the retained inputs or outputs as variables, in the order of the retain calls.
  /// Throw RuntimeError for a position that was not retained.
  Variables retained_inputs() const;
  Variables retained_outputs();
  template <std::size_t N>
  std::array<Variable, N> retained_inputs() const {
    std::array<Variable, N> out;
    for (std::size_t i = 0; i < N; ++i) out[i] = retained_input(static_cast<int>(i));
    return out;
  }
  template <std::size_t N>
  std::array<Variable, N> retained_outputs() {
    std::array<Variable, N> out;
    for (std::size_t i = 0; i < N; ++i) out[i] = retained_output(static_cast<int>(i));
    return out;
  }
  Variable retained_input(int i) const;
  Variable retained_output(int i);
  /// Returns the shape of an input, even if it is not retained.
  const Shape& input_shape(int i) const { return inputs_[static_cast<std::size_t>(i)]->shape(); }
  /// Returns true if the input requires a gradient.
  bool input_requires_grad(int i) const { return inputs_[static_cast<std::size_t>(i)]->requires_grad(); }

 private:
  friend class VariableNode;
  friend class Variable;
  friend struct ShownRank;
  friend Variables apply_function(Ref<FunctionNode>, const Variable* const*, std::size_t);
  friend struct Backprop;
  using Hooks = std::vector<std::pair<std::string, std::shared_ptr<FunctionHook>>>;
  // A retained array, and the version of its memory when it was retained.
  struct Retained {
    Array array;
    uint32_t version;
  };
  void keep(const Arrays& in, const Arrays& out);
  // Returns the array. Throws RuntimeError, naming this function and the input or output, if it was written since.
  const Array& unchanged(const Retained& kept, int index, bool is_input) const {
    if (kept.array.body().owner().version.load(std::memory_order_relaxed) != kept.version) [[unlikely]]
      complain_of_write(kept, index, is_input);
    return kept.array;
  }
  void complain_of_write(const Retained& kept, int index, bool is_input) const;

  int32_t rank_ = 0;
  uint32_t bytes_ = 0;  // size of the object, for the pool
  uint64_t visit_ = 0;  // the last traversal that visited this node
  bool applied_ = false;
  bool watched_ = false;
  bool inside_ = false;
  mutable int32_t shown_rank_ = -1;  // unknown
  SmallVector<Ref<VariableNode>, 2> inputs_;
  SmallVector<VariableNode*, 1> outputs_;
  Indexes retained_in_, retained_out_;
  SmallVector<Retained, 2> kept_in_;
  SmallVector<Retained, 1> kept_out_;
  struct Extra {  // members that few nodes need
    Hooks hooks;
    Ref<ComposedCall> call;
  };
  Extra& extra() {
    if (!extra_) extra_ = std::make_unique<Extra>();
    return *extra_;
  }
  std::unique_ptr<Extra> extra_;

 public:
  /// Used by apply(): creates a node in the small-object pool.
  template <class F>
  static Ref<FunctionNode> make(F&& f) {
    using T = std::remove_cvref_t<F>;
    auto* p = new (pool::allocate(sizeof(T))) T(std::forward<F>(f));
    p->bytes_ = sizeof(T);
    return Ref<FunctionNode>(p, typename Ref<FunctionNode>::Adopt{});
  }
  /// Returns the hooks of this function, or nullptr if there are none.
  const Hooks* local_function_hooks() const { return extra_ && !extra_->hooks.empty() ? &extra_->hooks : nullptr; }
};

/// Applies a function: type check, hooks, forward, and the graph if an input requires a gradient. Throws InvalidType or
/// TypeError for unsuitable inputs, TypeError for an empty input or inputs on several devices, RuntimeError if the node
/// was applied before, and in debug mode if an output has NaN.
Variables apply(const Ref<FunctionNode>& f, const Variables& inputs);
template <std::derived_from<FunctionNode> F>
Variables apply(F&& f, const Variables& inputs) {
  return apply(FunctionNode::make(std::forward<F>(f)), inputs);
}
/// Returns true if the inputs require a graph, or if hooks require a node.
bool wants_node(const Variable* const* inputs, std::size_t count);
Variable apply_without_node(FunctionNode& f, const Variable* const* inputs, std::size_t count);
/// Applies a function of a few inputs and returns its only output, without lists of arguments. If no graph is required,
/// the node is on the stack.
template <std::derived_from<FunctionNode> F, std::same_as<Variable>... V>
Variable apply_single(F&& f, const V&... inputs) {
  const Variable* pointers[] = {&inputs...};
  if (!wants_node(pointers, sizeof...(V))) return apply_without_node(f, pointers, sizeof...(V));
  return std::move(apply_function(FunctionNode::make(std::forward<F>(f)), pointers, sizeof...(V))[0]);
}

/// Options of grad().
struct GradOptions {
  Variables grad_outputs = {};  ///< gradients with respect to the outputs; ones by default
  Variables grad_inputs = {};   ///< gradients with respect to the inputs, added to the result
  bool set_grad = false;        ///< store the gradients in `inputs`
  bool retain_grad = false;     ///< store the gradients of intermediate variables on the paths; leaves keep theirs
  /// Make the gradients differentiable.
  bool enable_double_backprop = false;
  std::optional<double> loss_scale = {};
};
/// Returns the gradients of `outputs` with respect to `inputs`, along the paths between them only; empty variables for
/// inputs without a path. Gradients stored in variables do not change, unless set_grad or retain_grad is set. Throws
/// ValueError if grad_outputs or grad_inputs have wrong numbers or shapes. Warns if no input has a path.
Variables grad(const Variables& outputs, const Variables& inputs, const GradOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(grad,
                         ".grad_outputs, .grad_inputs, .set_grad, .retain_grad, .enable_double_backprop, .loss_scale",
                         const Variables&, const Variables&);

}  // namespace chainer
