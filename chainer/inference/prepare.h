// A trained network, made ready to answer: for programs that serve.
#pragma once
#include <memory>
#include <string>

#include "chainer/links/link.h"
#include "chainer/onnx/onnx.h"

namespace chainer::inference {

/// Options of prepare().
struct PrepareOptions {
  /// The first axis of the inputs may have another length later (where the network allows it; else a warning says why).
  bool dynamic_batch = true;
};

/// A network as it was when it was prepared. It computes in test mode and without a graph, whatever the thread's
/// configuration says, from any number of threads at once.
class Prepared {
 public:
  explicit Prepared(onnx::Model model);

  /// All outputs, from all inputs in order. Where a link was prepared, TypeError for a length that it was not prepared
  /// for: its functions were told lengths, as a pooling its window, and would answer something else than the link.
  Arrays operator()(const Arrays& inputs) const;
  /// The first output of a network with one input.
  Array operator()(const Array& x) const { return (*this)(Arrays{x})[0]; }
  /// Makes answers to inputs of these shapes fast: the first calls of a shape lay out memory and weights.
  void warm_up(const Arrays& inputs) const;
  /// Why the operators run at each call, where their work cannot be replayed; empty otherwise.
  std::string refused_replay() const { return model_->refused_replay(); }
  /// How many operators a call has.
  std::size_t operator_count() const { return model_->operator_count(true); }

 private:
  friend Prepared prepare(Link& link, const Variables& example_inputs, const PrepareOptions& options);
  void check_lengths(const Arrays& inputs) const;
  std::shared_ptr<onnx::Model> model_;
  bool lengths_stay_ = false;  ///< those that the model declares
};

/// Makes a network ready to answer. Its operators are those of its ONNX form, so what onnx::export_model() refuses is
/// refused here, with the same reasons. Whatever depends on weights alone is computed now; batch normalization goes
/// into the weights before it; from the second call of a shape on the work on arrays is replayed in memory that was
/// planned once. Inputs have the lengths of the example, but for the first axis. The weights are copies: training the
/// link further does not change what was prepared. A model of an ONNX file is moved in and taken as it is.
///
///   L::Linear link(3, 2);
///   const inference::Prepared net = inference::prepare(link, {ones({1, 3})});
///   net(ones({4, 3}))  // shape (4, 2)
Prepared prepare(Link& link, const Variables& example_inputs, const PrepareOptions& options = {});
Prepared prepare(onnx::Model&& model, const Variables& example_inputs = {});

}  // namespace chainer::inference
