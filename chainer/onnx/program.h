// An imported graph, checked and ready to run: tensors are numbers of slots instead of names.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "chainer/onnx/call.h"
#include "chainer/onnx/onnx.h"

namespace chainer::onnx {

/// One node, with the slots of its inputs (-1: absent) and outputs.
struct Step {
  const Operator* op;
  std::shared_ptr<const Node> node;
  std::vector<int> in, out;
  std::vector<int> dead;  ///< slots that nobody reads behind this step
};

/// Steps in order and what stands in slots before they run.
struct Plan {
  std::vector<Step> steps;
  Variables values;
};

/// A slot that is filled from the model's parameters or persistent values.
struct Leaf {
  int slot;
  std::string path;
  bool persistent;
};

class Program;

/// Told about calls of imported models: an export writes their operators as they are in the file.
class ModelRecorder {
 public:
  virtual ~ModelRecorder() = default;
  virtual void record_model(const std::shared_ptr<const Program>& program, const Variables& in, const Variables& leaves,
                            const Variables& out) = 0;
  /// This thread's, or nullptr.
  inline static constinit thread_local ModelRecorder* current = nullptr;
};
/// The label of such a call among the functions of a run.
inline constexpr std::string_view kImportedModel = "imported model";

/// What is in a file but the weights; shared by copies of a model.
class Program {
 public:
  /// Takes weights out of `file` into `weights`, by path.
  Program(ModelFile file, std::string_view what, std::vector<std::pair<Leaf, Array>>& weights);

  std::vector<TensorInfo> inputs, outputs;
  std::vector<ValueInfo> declared_inputs, declared_outputs;  ///< the same in the file's words
  std::string producer;
  std::vector<std::pair<std::string, std::string>> metadata;
  int64_t opset = 0;
  Plan plan;  ///< as in the file
  std::vector<Leaf> leaves;
  std::vector<int> input_slots, output_slots;

  Variables run(const Plan& plan, const Variables& leaf_values, const Variables& in) const;
  /// The steps that are left when the leaves have these values for good.
  Plan folded(const Variables& leaf_values) const;
  Variables run_step(const Step& step, const Variables& values) const;
  /// Fills in `dead`.
  void find_dead(Plan& plan) const;
};

/// Puts batch normalization into the weights of the convolution or affine map before it, where both are known. Slots
/// are added at the end.
void fold_batch_normalization(Plan& plan, const std::vector<int>& outputs);
/// Makes the bias behind a product with known weights the product's third input.
void fold_bias(Plan& plan, const std::vector<int>& outputs);

}  // namespace chainer::onnx
