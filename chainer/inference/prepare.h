// SPDX-License-Identifier: MIT
// Prepares a trained network for inference.
#pragma once
#include <memory>
#include <string>

#include "chainer/links/link.h"
#include "chainer/onnx/onnx.h"
#include "chainer/core/other_options.h"

namespace chainer::inference {

/// Options of prepare().
struct PrepareOptions {
  /// Allows any length of the first axis of the inputs; warns with the reason if the network does not.
  bool dynamic_batch = true;
  /// Other axes of the inputs whose lengths are free: {{"height", 0, 2}, {"width", 0, 3}}. Throws ValueError with the
  /// reason if the network does not allow it.
  std::vector<onnx::DynamicAxis> dynamic_axes = {};
};

/// A prepared network. Computes in test mode, without a graph or mixed precision, and with the config().winograd at the
/// call of prepare(), whatever the configuration of the thread. Any number of threads may call it at the same time.
class Prepared {
 public:
  explicit Prepared(onnx::Model model);

  /// Returns all outputs, given all inputs in order. If a link was prepared, throws TypeError for lengths other than
  /// those of the example: the lengths are constants of the prepared functions, so results would differ from the
  /// link's.
  Arrays operator()(const Arrays& inputs) const;
  /// Returns the first output of a network with one input.
  Array operator()(const Array& x) const { return (*this)(Arrays{x})[0]; }
  /// Makes the next call with inputs of these shapes fast: the first calls with a shape plan memory and pack weights.
  void warm_up(const Arrays& inputs) const;
  /// Returns the reason why calls run the operators instead of a replay; empty if calls are replayed.
  std::string refused_replay() const { return model_->refused_replay(); }
  /// Returns the number of operators of a call.
  std::size_t operator_count() const { return model_->operator_count(true); }

 private:
  friend Prepared prepare(Link& link, const Variables& example_inputs, const PrepareOptions& options);
  void check_lengths(const Arrays& inputs) const;
  std::shared_ptr<onnx::Model> model_;
  bool lengths_stay_ = false;  ///< true if inputs must have the declared lengths
  bool winograd_;              ///< config().winograd where it was prepared
};

/// Prepares a network for inference. The operators are those of its ONNX form, so it throws ValueError for what
/// onnx::export_model() does not support. Applies constant folding to everything that depends only on weights, and
/// folds batch normalization into the weights before it; from the second call with a shape on, the computation is
/// replayed in memory that is planned once. Inputs have the lengths of the example, except for the first axis and
/// dynamic_axes. The weights are copies: further training of the link does not change the prepared network. A model of
/// an ONNX file is moved in unchanged.
///
/// Also throws ValueError if the link reads numbers that depend on its inputs outside of functions, as
/// `if (sum(x).item() > 0)`, because the results would be those of one branch.
///
/// Branches on the length of the first axis are searched by running lengths up to 150, fewer for a large network. If
/// one is found, a warning is printed and only the lengths of the example are accepted. Code that branches at greater
/// lengths needs dynamic_batch = false.
///
///   L::Linear link(3, 2);
///   const inference::Prepared net = inference::prepare(link, {ones({1, 3})});
///   net(ones({4, 3}))  // shape (4, 2)
Prepared prepare(Link& link, const Variables& example_inputs, const PrepareOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(prepare, ".dynamic_batch, .dynamic_axes", Link&, const Variables&);
Prepared prepare(onnx::Model&& model, const Variables& example_inputs = {});

}  // namespace chainer::inference
