// One application of a differentiable function.
#pragma once
#include <array>
#include <concepts>
#include <map>
#include <memory>
#include <vector>

#include "chainer/autograd/type_check.h"
#include "chainer/autograd/variable.h"

namespace chainer {

class FunctionHook;

/// Positions of inputs or outputs.
using Indexes = SmallVector<int, 4>;

/// Base of all functions. A subclass defines forward on arrays and backward on variables; backward is written in the
/// library's functions, so that gradients of every order follow. An instance is applied once, by apply().
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
  /// Takes the hooks: a node is moved before it is applied, while it has nothing else.
  FunctionNode(FunctionNode&& f) noexcept : hooks_(std::move(f.hooks_)) {}
  FunctionNode(const FunctionNode&) = delete;
  FunctionNode& operator=(const FunctionNode&) = delete;
  virtual ~FunctionNode();
  static void destroy(FunctionNode* f);

  /// The results of the function, computed from the inputs' arrays.
  virtual Arrays forward(const Arrays& inputs) = 0;
  /// The gradients of the inputs named by `wanted`: as many as there are inputs, or as `wanted` names. None entries
  /// (of gy and of the result) stand for no gradient.
  virtual Variables backward(const Indexes& wanted, const Variables& gy);
  /// As backward, but adds to `gx`, the gradients so far of the inputs in `wanted`. Only for functions that can add
  /// cheaper than by a sum of its own; accumulates() says so.
  virtual Variables backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx);
  virtual bool accumulates() const { return false; }
  /// Whether backward() adds to gradients of leaves that are not among the inputs, because it differentiates inside. A
  /// GradientHook is told of leaves behind all such functions.
  virtual bool adds_to_other_leaves() const { return false; }
  /// Whether forward() runs code that may replace or drop the variables of the call: their arrays are then kept until
  /// it ends. So for every class that is not one of the library's functions.
  virtual bool keeps_inputs() const;
  /// Checks dtypes and shapes with type_check::expect, before forward. A failed condition explains itself
  /// with config().type_check, and is a TypeError that names dtypes and shapes without.
  virtual void check_type_forward(const type_check::TypeInfos& in_types) const { (void)in_types; }
  /// The name in graphs and hooks; the class name by default.
  virtual std::string label() const { return impl_name(); }
  /// The class name.
  std::string impl_name() const;

  const SmallVector<Ref<VariableNode>, 2>& inputs() const { return inputs_; }
  /// The output nodes that are still alive; nullptr for the others.
  const SmallVector<VariableNode*, 1>& outputs() const { return outputs_; }
  int rank() const { return rank_; }
  /// Cuts this function's outputs off it and drops its inputs.
  void unchain();
  /// Hooks of this one function, run after those of the thread.
  void add_hook(std::shared_ptr<FunctionHook> hook, const std::string& name = {});
  void delete_hook(const std::string& name);

  /// The arrays of the retained inputs; none for the others. Here and in the four functions below an array that was
  /// written to since forward is a RuntimeError that names it; one that an optimizer updated meanwhile is a warning.
  Arrays input_data() const;
  /// The arrays of the retained outputs; none for the others.
  Arrays output_data() const;

 protected:
  /// Called in forward: keeps these inputs' or outputs' arrays for backward. Nothing is kept by default.
  void retain_inputs(std::initializer_list<int> indexes) { retained_in_ = Indexes(indexes.begin(), indexes.end()); }
  void retain_inputs(const Indexes& indexes) { retained_in_ = indexes; }
  void retain_outputs(std::initializer_list<int> indexes) { retained_out_ = Indexes(indexes.begin(), indexes.end()); }
  void retain_outputs(const Indexes& indexes) { retained_out_ = indexes; }
  /// Called in backward: the kept ones as variables, in the order they were named.
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
  /// The shape of an input, known without retaining it.
  const Shape& input_shape(int i) const { return inputs_[static_cast<std::size_t>(i)]->shape(); }
  /// Whether the gradient of an input is wanted at all.
  bool input_requires_grad(int i) const { return inputs_[static_cast<std::size_t>(i)]->requires_grad(); }

 private:
  friend class VariableNode;
  friend class Variable;
  friend Variables apply_function(Ref<FunctionNode>, const Variable* const*, std::size_t);
  friend struct Backprop;
  using Hooks = std::vector<std::pair<std::string, std::shared_ptr<FunctionHook>>>;
  // An array that backward needs, and how often its memory had been written to when it was kept.
  struct Retained {
    Array array;
    uint32_t version;
  };
  void keep(const Arrays& in, const Arrays& out);
  // The array, if nobody wrote to it since: RuntimeError that names this function and the input or output.
  const Array& unchanged(const Retained& kept, int index, bool is_input) const {
    if (kept.array.body().owner().version.load(std::memory_order_relaxed) != kept.version) [[unlikely]]
      complain_of_write(kept, index, is_input);
    return kept.array;
  }
  void complain_of_write(const Retained& kept, int index, bool is_input) const;

  int32_t rank_ = 0;
  uint32_t bytes_ = 0;  // of the object, for the pool
  uint64_t visit_ = 0;  // the number of the walk that saw this node last
  bool applied_ = false;
  SmallVector<Ref<VariableNode>, 2> inputs_;
  SmallVector<VariableNode*, 1> outputs_;
  Indexes retained_in_, retained_out_;
  SmallVector<Retained, 2> kept_in_;
  SmallVector<Retained, 1> kept_out_;
  std::unique_ptr<Hooks> hooks_;

 public:
  /// Used by apply(): a node in the pool.
  template <class F>
  static Ref<FunctionNode> make(F&& f) {
    using T = std::remove_cvref_t<F>;
    auto* p = new (pool::allocate(sizeof(T))) T(std::forward<F>(f));
    p->bytes_ = sizeof(T);
    return Ref<FunctionNode>(p, typename Ref<FunctionNode>::Adopt{});
  }
  const std::unique_ptr<Hooks>& local_function_hooks() const { return hooks_; }
};

/// Applies a function: type check, hooks, forward, and the graph behind the outputs if one is wanted.
Variables apply(const Ref<FunctionNode>& f, const Variables& inputs);
template <std::derived_from<FunctionNode> F>
Variables apply(F&& f, const Variables& inputs) {
  return apply(FunctionNode::make(std::forward<F>(f)), inputs);
}
/// Whether these inputs want a graph (or hooks a node).
bool wants_node(const Variable* const* inputs, std::size_t count);
Variable apply_without_node(FunctionNode& f, const Variable* const* inputs, std::size_t count);
/// The only output of a function of a few inputs, without an argument list in between. Where no graph is wanted the
/// node lives on the stack.
template <std::derived_from<FunctionNode> F, std::same_as<Variable>... V>
Variable apply_single(F&& f, const V&... inputs) {
  const Variable* pointers[] = {&inputs...};
  if (!wants_node(pointers, sizeof...(V))) return apply_without_node(f, pointers, sizeof...(V));
  return std::move(apply_function(FunctionNode::make(std::forward<F>(f)), pointers, sizeof...(V))[0]);
}

/// Options of grad().
struct GradOptions {
  Variables grad_outputs = {};  ///< ones by default
  Variables grad_inputs = {};   ///< added to the result
  bool set_grad = false;        ///< store the gradients in `inputs`
  bool retain_grad = false;     ///< store those of what functions computed along the paths; leaves keep theirs
  bool enable_double_backprop = false;
  std::optional<double> loss_scale = {};
};
/// The gradients of `outputs` with respect to `inputs`, along the paths between them only; none where there is no
/// path. Gradients stored in variables stay as they are, unless set_grad or retain_grad say otherwise.
Variables grad(const Variables& outputs, const Variables& inputs, const GradOptions& options = {});

}  // namespace chainer
