// Models in the ONNX format: import as a link, and export of a run.
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

namespace chainer::onnx {

class Program;

/// How an input or output of an imported model is declared. A length of -1 is not fixed.
struct TensorInfo {
  std::string name;
  Dtype dtype = float32;
  std::optional<std::vector<int64_t>> shape = {};  ///< absent where the file does not tell the number of axes
};

/// A link made from an ONNX file. Floating initializers, and elements of Constant nodes, that are weights (filters,
/// matrices, biases, embeddings, scales) are parameters, under their names as paths: `encoder/l1/W` is parameter W of
/// the child l1 of the child encoder, so that a part is found, saved and frozen by its path. Running statistics of
/// batch normalization are persistent values. Its operators are computed by the library's functions: a loaded model is
/// differentiated, fine-tuned, saved and exported as any other link. docs/onnx.md lists the operators.
///
/// In train mode dropout and batch normalization train, as in the library's links. In test mode without backpropagation
/// the model is simplified at its first call: what depends on constants and weights alone is computed once, and batch
/// normalization behind a convolution or an affine map goes into its weights. Whatever may change weights (training,
/// loading, params()) undoes that; after a write to the memory of a parameter that was taken out of params() before,
/// call refresh(). From the second call with inputs of the same shapes on, the work on arrays is replayed without the
/// operators, in memory that is kept for the next call; threads may call one model at once.
///
/// Throws FileError for what is no ONNX file or is damaged, and ValueError where operators are not supported or the
/// graph has a cycle. Nodes may stand in any order. Nothing in the file is executed, and
/// external data are read from the file's own folder only. The operator sets 7 to 28 are known.
class Model : public Chain {
 public:
  explicit Model(const std::filesystem::path& file);
  /// From the bytes of a file. Without a folder there are no external data.
  static Model from_bytes(std::string_view bytes, const std::filesystem::path& folder = {},
                          std::string_view name = "ONNX model");
  ~Model() override;
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  Model(const Model&);

  /// All outputs, from all inputs in the file's order.
  Variables forward(const Variables& inputs);
  /// The first output of a model with one input.
  Variable forward(const Variable& x) { return forward(Variables{x})[0]; }
  Variable forward(const Variable& x, const Variable& y) { return forward(Variables{x, y})[0]; }
  /// By the names of inputs; the result in the file's order.
  Variables call(const NamedVariables& inputs) override;
  void visit(MemberVisitor& v) override;
  /// call() of several variables gives all outputs, whatever forward() there is for so many.
  CHAINER_DECLARE_LINK(Model);

  /// The inputs that a call needs, and its outputs.
  const std::vector<TensorInfo>& inputs() const;
  const std::vector<TensorInfo>& outputs() const;
  /// The version of the default operator set.
  int64_t opset() const;
  const std::string& producer() const;
  const std::vector<std::pair<std::string, std::string>>& metadata() const;
  /// How many operators a call runs: as the file says, or simplified for test mode.
  std::size_t operator_count(bool simplified = false);
  /// Why the operators themselves run at each call in test mode; empty where their work is replayed, or was not called
  /// yet.
  std::string refused_replay() const;
  /// Forgets what was computed from the weights for test mode.
  void refresh();

 private:
  struct Cache;
  explicit Model(std::shared_ptr<const Program> program);
  std::shared_ptr<const Program> program_;
  std::unique_ptr<Cache> cache_;
};

/// Options of export_model().
struct ExportOptions {
  /// The operator set of the file, from 13 to 28. By default 13, or that of an imported model, which is never written
  /// in an older one.
  std::optional<int64_t> opset = {};
  /// input_0 ... and output_0 ... by default, or those of an imported model.
  std::vector<std::string> input_names = {}, output_names = {};
  /// The first axis of the inputs, where all have the same length there, may have another length later. What depends on
  /// that length is computed by the file; where that is not possible (a loop over the batch, lists of sequences) a
  /// warning says why, and the file declares the length that it is for. An imported model's inputs and outputs stay as
  /// its file declares them.
  bool dynamic_batch = true;
  std::string graph_name = "chainer";
  std::vector<std::pair<std::string, std::string>> metadata = {};
  /// Weights of more bytes than this go into a file of their own beside the model, FILE.data.
  int64_t external_data_from = int64_t(2000) << 20;
};

/// Runs the model on these inputs, in test mode, and writes what it computed as an ONNX file: each function of the run
/// as the operators that say the same, composed functions as their parts, imported models as the operators of their
/// files, parameters and persistent values under their paths (predictor/l1/W). What the program decided in that run
/// (branches, lengths of loops, anything computed from arrays outside of functions) is part of the file as it was.
///
/// The file is tried before it is written: the model and the file's operators run on other numbers (other integers,
/// other signs), and with batches of other lengths unless the batch is fixed. Where results differ, where something is
/// found to depend on the inputs outside of functions, and where ONNX cannot say a function, a ValueError tells what it
/// is and nothing is written. The model is therefore called some ten times; copies of it are, so that its own state
/// (that of an LSTM) stays as it is, unless it cannot be copied.
void export_model(Link& model, const Variables& inputs, const std::filesystem::path& file,
                  const ExportOptions& options = {});
/// The same as the bytes of a file.
std::string export_model(Link& model, const Variables& inputs, const ExportOptions& options = {});
/// The same of any computation on variables, without named parameters.
std::string export_function(const std::function<Variables(const Variables&)>& f, const Variables& inputs,
                            const ExportOptions& options = {});

/// An operator that is imported, and the first operator set whose meaning of it is known.
struct SupportedOperator {
  std::string name;
  int64_t since;
};
/// All of them, by name.
std::vector<SupportedOperator> supported_operators();

}  // namespace chainer::onnx
