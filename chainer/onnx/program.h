// SPDX-License-Identifier: MIT
// An imported graph, checked and ready to run: tensors are identified by slot numbers instead of names.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chainer/onnx/call.h"
#include "chainer/onnx/onnx.h"

namespace chainer::onnx {

struct Body;

/// One node, with the slots of its inputs (-1: absent), followed by those of the tensors that its bodies read, and of
/// its outputs.
struct Step {
  const Operator* op;
  std::shared_ptr<const Node> node;
  std::vector<int> in, out;
  std::vector<int> dead = {};  ///< slots that are not read after this step
  std::vector<std::pair<std::string, std::shared_ptr<const Body>>> bodies = {};  ///< by attribute
  std::size_t inputs() const { return node->inputs.size(); }
};

/// Steps in order, and the initial values of slots.
struct Plan {
  std::vector<Step> steps;
  Variables values;
};

/// The body of a control flow operator. Its slots are its own.
struct Body {
  Plan plan;
  std::vector<int> inputs, captured, outputs;  ///< `captured` in the order of Node::captured
};

/// A slot that holds a parameter or persistent value of the model.
struct Leaf {
  int slot;
  std::string path;
  bool persistent;
};

class Program;

/// Receives calls of imported models, so that an export can write the operators of their files.
class ModelRecorder {
 public:
  virtual ~ModelRecorder() = default;
  virtual void record_model(const std::shared_ptr<const Program>& program, const Variables& in, const Variables& leaves,
                            const Variables& out) = 0;
  /// The recorder of this thread, or nullptr.
  inline static constinit thread_local ModelRecorder* current = nullptr;
};
/// The label of a call of an imported model among the functions of a run.
inline constexpr std::string_view kImportedModel = "imported model";

/// The content of a file except the weights; shared by copies of a model.
class Program {
 public:
  /// Moves weights from `file` to `weights`, by path. Throws ValueError, beginning with `what`, for unsupported
  /// operators or operator sets and for invalid graphs.
  Program(ModelFile file, std::string_view what, std::vector<std::pair<Leaf, Array>>& weights);

  std::vector<TensorInfo> inputs, outputs;
  std::vector<ValueInfo> declared_inputs, declared_outputs;  ///< the declarations in the file
  std::string producer;
  std::vector<std::pair<std::string, std::string>> metadata;
  int64_t opset = 0;
  Plan plan;  ///< as in the file
  std::vector<Leaf> leaves;
  std::vector<int> input_slots, output_slots;

  Variables run(const Plan& plan, const Variables& leaf_values, const Variables& in) const;
  /// Returns the plan after constant folding, with these values of the leaves as constants.
  Plan folded(const Variables& leaf_values) const;

 private:
  SlotValues run_steps(const Plan& plan, SlotValues values, const std::vector<int>& outputs, bool in_body) const;
  /// Runs a step, given the values of its slots `in`.
  SlotValues run_step(const Step& step, const SlotValues& all, bool in_body) const;
  std::shared_ptr<const Body> compiled(Graph& graph, const std::vector<std::string>& captured, std::string_view what);
  /// Adds the steps of nodes to the plan, given the slots of known names; defines slots of results.
  void add_steps(std::vector<Node>& nodes, Plan& plan, std::map<std::string, int, std::less<>>& slots,
                 std::string_view what);
  /// Appends the steps to `out`, computing those whose inputs are known; with integers_stay not DequantizeLinear.
  void fold_steps(const std::vector<Step>& steps, Plan& out, bool in_body, bool integers_stay) const;
};

/// Sets the `dead` slots of all steps.
void find_dead(Plan& plan, const std::vector<int>& outputs);
/// Replaces an If by the steps of one of its branches, with new slots at the end of `values`.
std::vector<Step> branch_of(const Step& step, const Body& branch, Variables& values);

/// Folds batch normalization into the weights of the convolution or affine map before it, if both are constant. Adds
/// slots at the end.
void fold_batch_normalization(Plan& plan, const std::vector<int>& outputs);
/// Turns the addition of a bias after a product with constant weights into the third input of the product.
void fold_bias(Plan& plan, const std::vector<int>& outputs);

}  // namespace chainer::onnx
