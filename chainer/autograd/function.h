// SPDX-License-Identifier: MIT
// Old-style functions: forward and backward on arrays, without higher-order gradients.
#pragma once
#include <memory>

#include "chainer/autograd/function_node.h"

namespace chainer {

/// The manual's old-style function, whose forward and backward work on arrays. All inputs are retained unless forward()
/// calls retain_inputs(). New code should derive from FunctionNode, whose gradients are differentiable.
class Function {
 public:
  virtual ~Function() = default;
  /// Returns the outputs.
  virtual Arrays forward(const Arrays& inputs) = 0;
  /// Returns one gradient per input (empty for no gradient), with respect to that input. Inputs that were not retained
  /// and gradients of unused outputs are empty arrays. By default there are no gradients.
  virtual Arrays backward(const Arrays& inputs, const Arrays& grad_outputs);
  virtual void check_type_forward(const type_check::TypeInfos& in_types) const { (void)in_types; }
  virtual std::string label() const;

  void retain_inputs(const Indexes& indexes) { retained_in_ = indexes; }
  void retain_outputs(const Indexes& indexes) { retained_out_ = indexes; }
  /// For backward(): returns the arrays of retained outputs; empty for the others.
  const Arrays& output_data() const { return output_data_; }

 private:
  friend class FunctionAdapter;
  std::optional<Indexes> retained_in_;
  Indexes retained_out_;
  Arrays output_data_;
};

/// The function node of an old-style function. Differentiating its gradients throws RuntimeError; a wrong number of
/// gradients from backward() throws ValueError.
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
