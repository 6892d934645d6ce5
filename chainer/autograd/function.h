// Old-style functions: arrays in both directions, no second gradients.
#pragma once
#include <memory>

#include "chainer/autograd/function_node.h"

namespace chainer {

/// The manual's old-style function: forward and backward on arrays, for all inputs. All inputs are retained unless
/// retain_inputs() is called in forward. New code derives from FunctionNode, whose gradients can be differentiated.
class Function {
 public:
  virtual ~Function() = default;
  virtual Arrays forward(const Arrays& inputs) = 0;
  /// One gradient an input (none for no gradient); inputs that were not retained are none, and so are gradients of
  /// outputs that nothing reads.
  virtual Arrays backward(const Arrays& inputs, const Arrays& grad_outputs);
  virtual void check_type_forward(const type_check::TypeInfos& in_types) const { (void)in_types; }
  virtual std::string label() const;

  void retain_inputs(const Indexes& indexes) { retained_in_ = indexes; }
  void retain_outputs(const Indexes& indexes) { retained_out_ = indexes; }
  /// In backward: the arrays of retained outputs, none for the others.
  const Arrays& output_data() const { return output_data_; }

 private:
  friend class FunctionAdapter;
  std::optional<Indexes> retained_in_;
  Indexes retained_out_;
  Arrays output_data_;
};

/// The node that carries an old-style function through the graph.
class FunctionAdapter : public FunctionNode {
 public:
  explicit FunctionAdapter(std::shared_ptr<Function> function) : function_(std::move(function)) {}
  Function& function() const { return *function_; }
  std::string label() const override { return function_->label(); }
  void check_type_forward(const type_check::TypeInfos& in) const override { function_->check_type_forward(in); }
  Arrays forward(const Arrays& inputs) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  std::shared_ptr<Function> function_;
};

/// Applies an old-style function: apply_old(MyFunction(), {x, y}).
template <std::derived_from<Function> F>
Variables apply_old(F function, const Variables& inputs) {
  return apply(FunctionAdapter(std::make_shared<F>(std::move(function))), inputs);
}

}  // namespace chainer
