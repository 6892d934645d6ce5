// SPDX-License-Identifier: MIT
// What the recurrent operators GRU, LSTM and RNN share.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainer/onnx/call.h"

namespace chainer::onnx {

using Activation = std::function<Variable(const Variable&)>;
class IntegerProducts;

/// The weights, initial states and activations of one direction.
struct Direction {
  Variable W, R, Wb, Rb, h, c, P;
  std::vector<Activation> f;
  bool reverse;
  std::shared_ptr<const IntegerProducts> integers;  ///< in place of W and R, if these are integers
};

/// A call of a recurrent operator. Of QuantizedGRU, QuantizedLSTM and QuantizedRNN (quantized.h), x, W and R are
/// integers.
struct Rnn {
  const Call& call;
  int64_t gates;  ///< number of gates with weights
  std::vector<std::string> defaults;
  std::size_t functions;  ///< number of activations per direction
  int64_t steps = 0, batch = 0, units = 0, directions = 0;
  bool batch_first = false;
  std::vector<int64_t> lengths;
  Variable x;    ///< (steps, batch, inputs)
  Variables xs;  ///< the steps of x, unless it has integers

  Rnn(const Call& c, int64_t gates, std::vector<std::string> default_activations);
  Dtype dtype() const { return call.floating() ? call.dtype() : float32; }
  Direction direction(int64_t d) const;
  /// Returns x_t W^T.
  Variable input_product(const Direction& d, int64_t t) const;
  /// Returns h R^T for the state before step `i`, with the rows of one gate if `gate` is not negative.
  Variable state_product(const Direction& d, const Variable& h, int64_t i, int64_t gate = -1) const;
  /// Returns the new state for rows whose sequences continue at time t, the old one for others.
  Variable kept(int64_t t, const Variable& now, const Variable& before) const;
  Variables results(const std::vector<Variables>& ys, const Variables& h, const Variables& c) const;
  /// Returns true if the functions of the library compute the same.
  bool has_defaults() const;
};

/// Returns the rows of gate k of a matrix or vector with gates in blocks.
Variable gate_of(const Variable& v, int64_t k, int64_t units);

}  // namespace chainer::onnx
