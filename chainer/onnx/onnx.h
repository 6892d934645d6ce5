// SPDX-License-Identifier: MIT
// Models in the ONNX format: import as a link, and export.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chainer/links/members.h"
#include "chainer/core/other_options.h"

namespace chainer::onnx {

class Program;

/// The declaration of an input or output of an imported model. A length of -1 is not fixed.
struct TensorInfo {
  std::string name;
  Dtype dtype = float32;
  std::optional<std::vector<int64_t>> shape = {};  ///< absent if the file does not declare the number of axes
};

/// A link made from an ONNX file. Floating initializers, and elements of Constant nodes, that are weights (filters,
/// matrices, biases, embeddings, scales) are parameters, under their names as paths: `encoder/l1/W` is parameter W of
/// the child l1 of the child encoder. Running statistics of batch normalization are persistent values. Operators are
/// computed by the library's functions: a loaded model is differentiated, fine-tuned, saved and exported like any other
/// link. docs/onnx.md lists the operators.
///
/// In training mode dropout and batch normalization train, as in the library's links. In test mode without
/// backpropagation the first call simplifies the model: constant folding computes everything that depends only on
/// constants and weights, and folds batch normalization into the weights of a convolution or affine map before it.
/// Training, and any write to a weight (loading, `w *= 0.5f`, an update, also through a copy that shares the weight),
/// invalidates the simplified model; only after writes through a raw pointer call refresh(). From the second call with
/// inputs of the same shapes on, the computation is replayed without the operators, in memory that is kept for the next
/// call. Several threads may call one model at the same time.
///
/// The constructor throws FileError for a damaged file or another format, ValueError for unsupported operators or
/// operator sets (7 to 28 are supported) and for cycles. Nodes may be in any order. Nothing in the file is executed,
/// and external data are read only from the folder of the file.
class Model : public Chain {
 public:
  explicit Model(const std::filesystem::path& file);
  /// Makes a model from the bytes of a file. Without a folder, external data throw FileError.
  static Model from_bytes(std::string_view bytes, const std::filesystem::path& folder = {},
                          std::string_view name = "ONNX model");
  ~Model() override;
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  Model(const Model&);

  /// Returns all outputs, given all inputs in the order of the file. Throws ValueError for another number of inputs,
  /// TypeError for other dtypes or shapes than declared.
  Variables forward(const Variables& inputs);
  /// Return the first output of a model with one or two inputs.
  Variable forward(const Variable& x) { return forward(Variables{x})[0]; }
  Variable forward(const Variable& x, const Variable& y) { return forward(Variables{x, y})[0]; }
  /// Returns all outputs in the order of the file, given inputs by name. Throws KeyError for a missing input.
  Variables call(const NamedVariables& inputs) override;
  void visit(MemberVisitor& v) override;
  /// call() with several variables returns all outputs, also if there is a forward() for this number.
  CHAINER_DECLARE_LINK(Model);

  /// The required inputs of a call, and its outputs.
  const std::vector<TensorInfo>& inputs() const;
  const std::vector<TensorInfo>& outputs() const;
  /// The version of the default operator set.
  int64_t opset() const;
  const std::string& producer() const;
  const std::vector<std::pair<std::string, std::string>>& metadata() const;
  /// Returns the number of operators that a call runs: as in the file, or simplified for test mode.
  std::size_t operator_count(bool simplified = false);
  /// Returns the reason why calls in test mode run the operators instead of a replay; empty if calls are replayed, or
  /// before the first call.
  std::string refused_replay() const;
  /// Drops everything that was computed from the weights for test mode.
  void refresh();

 private:
  struct Cache;
  explicit Model(std::shared_ptr<const Program> program);
  std::shared_ptr<const Program> program_;
  std::unique_ptr<Cache> cache_;
};

/// An axis of an input whose length an exported file leaves free. Axes of one name have one length.
struct DynamicAxis {
  std::string name;
  std::size_t input = 0;
  int64_t axis = 0;
};

/// Options of export_model().
struct ExportOptions {
  /// The operator set of the file, from 13 to 28. By default 13, or that of an imported model, which cannot be written
  /// in an older one.
  std::optional<int64_t> opset = {};
  /// By default input_0 ... and output_0 ..., or the names of an imported model.
  std::vector<std::string> input_names = {}, output_names = {};
  /// Writes a file for any length of the first axis of the inputs, if all have the same length: the file computes
  /// values that depend on the length. If this is impossible (a loop over the batch, lists of sequences), warns with
  /// the reason, and the file declares the length. Inputs and outputs of an imported model keep the declarations of its
  /// file.
  bool dynamic_batch = true;
  /// Other axes whose lengths are free: time, height, width. The program runs with several lengths of them, and the
  /// file computes what depends on them; lengths that the program refuses are not tried. Throws ValueError with the
  /// reason if this is impossible.
  std::vector<DynamicAxis> dynamic_axes = {};
  std::string graph_name = "chainer";
  std::vector<std::pair<std::string, std::string>> metadata = {};
  /// If the weights have more bytes than this, they are written to a second file next to the model, FILE.data.
  int64_t external_data_from = int64_t(2000) << 20;
  /// Throws ValueError if the program reads numbers that depend on the inputs outside of functions, as
  /// `if (sum(x).item() > 0)`, because the file would contain one branch only. If false, such reads are detected only
  /// if the check on other inputs happens to take another branch.
  bool refuse_reads = false;
};

/// Runs the model on these inputs, in test mode, and writes its computation as an ONNX file: each function of the run
/// as equivalent operators, composed functions as their parts, imported models as the operators of their files,
/// parameters and persistent values under their paths (predictor/l1/W). Decisions of the program in that run (branches,
/// lengths of loops, anything computed from arrays outside of functions) become constants in the file.
///
/// The file is checked before it is written: the model and the operators of the file run on other numbers (other
/// integers, other signs), and with other batch lengths unless the batch is fixed. Throws ValueError, and writes
/// nothing, if results differ, if a value is found to depend on the inputs outside of functions, or if a function has
/// no ONNX equivalent. The check calls copies of the model several times, so that its state (as that of an LSTM) does
/// not change; a model that cannot be copied is called itself.
void export_model(Link& model, const Variables& inputs, const std::filesystem::path& file,
                  const ExportOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(export_model,
                         ".opset, .input_names, .output_names, .dynamic_batch, .dynamic_axes, .graph_name, .metadata, "
                         ".external_data_from, .refuse_reads",
                         Link&, const Variables&, const std::filesystem::path&);
/// Returns the bytes of the file.
std::string export_model(Link& model, const Variables& inputs, const ExportOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(export_model,
                         ".opset, .input_names, .output_names, .dynamic_batch, .dynamic_axes, .graph_name, .metadata, "
                         ".external_data_from, .refuse_reads",
                         Link&, const Variables&);
/// Returns the bytes of a file for any computation on variables, without named parameters.
std::string export_function(const std::function<Variables(const Variables&)>& f, const Variables& inputs,
                            const ExportOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(export_function,
                         ".opset, .input_names, .output_names, .dynamic_batch, .dynamic_axes, .graph_name, .metadata, "
                         ".external_data_from, .refuse_reads",
                         const std::function<Variables(const Variables&)>&, const Variables&);

/// An operator that can be imported, and the first supported operator set.
struct SupportedOperator {
  std::string name;
  int64_t since;
};
/// Returns all operators that can be imported, by name.
std::vector<SupportedOperator> supported_operators();

}  // namespace chainer::onnx
