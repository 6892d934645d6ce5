// SPDX-License-Identifier: MIT
// F: recurrent networks over whole sequences (manual: "N-step RNN", in its chapter of connections).
// Shapes: the inputs are time steps: xs[t] (B_t, I) holds the items of all sequences at time t, the longest sequence
// first, so B_t never grows. The outputs ys[t] are (B_t, N), or (B_t, 2 N) for two directions. States are hx (S, B, N)
// for S layers (2 S for two directions, forward and backward of each layer alternating), or none for zeros. B may be
// larger than B_0: the sequences at the end have no items and keep their state. Without time steps the states are
// returned unchanged. Each layer after the first reads the outputs of the layer below, with dropout. Twice
// differentiable.
// Errors: every function throws ValueError if n_layers < 1, if the numbers or shapes of weights, biases, states or
// items do not match, or if B_t grows; TypeError unless all have one floating dtype; InvalidType if the xs differ in
// dtype or I. See functions.h for what all functions share.
#pragma once
#include <vector>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Results of the LSTM functions: the last states (shaped as hx) and the outputs of the last layer (as xs).
struct NStepLstmResult {
  Variable hy, cy;
  Variables ys;
};
/// Results of the other functions.
struct NStepRnnResult {
  Variable hy;
  Variables ys;
};

/// Layers of long short-term memory (LSTM). Layer l has eight matrices ws[l], 0 to 3 for the input, (N, I), and 4 to 7
/// for the state, (N, N), and eight biases (N): i = sigmoid(W0 x + W4 h + b0 + b4), f = sigmoid(W1 x + W5 h + b1 + b5),
/// a = tanh(W2 x + W6 h + b2 + b6), o = sigmoid(W3 x + W7 h + b3 + b7); c = f c + i a, h = o tanh(c). (The formulas in
/// the manual exchange a and o; release 5.4.0 and its files have them as here.)
///   const std::vector<Variables> ws(1, std::vector(8, Variable(ones({2, 2}))));
///   const std::vector<Variables> bs(1, std::vector(8, Variable(ones({2}))));
///   F::n_step_lstm(1, 0, {}, {}, ws, bs, {ones({3, 2}), ones({1, 2})}).hy  // shape (1, 3, 2)
inline constexpr struct NStepLstm {
  static constexpr std::string_view name = "n_step_lstm";
  NStepLstmResult operator()(int64_t n_layers, double dropout_ratio, const Variable& hx, const Variable& cx,
                             const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                             const Variables& xs) const;
} n_step_lstm{};

/// n_step_lstm() in both directions: layer l has ws[2 l] forward and ws[2 l + 1] backward, and its output is
/// [forward, backward], (B_t, 2 N).
///   const std::vector<Variables> ws(2, std::vector(8, Variable(ones({2, 2}))));
///   const std::vector<Variables> bs(2, std::vector(8, Variable(ones({2}))));
///   F::n_step_bilstm(1, 0, {}, {}, ws, bs, {ones({3, 2}), ones({1, 2})}).hy  // shape (2, 3, 2)
inline constexpr struct NStepBilstm {
  static constexpr std::string_view name = "n_step_bilstm";
  NStepLstmResult operator()(int64_t n_layers, double dropout_ratio, const Variable& hx, const Variable& cx,
                             const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                             const Variables& xs) const;
} n_step_bilstm{};

/// Layers of gated recurrent units (GRU) with six matrices and biases each: r = sigmoid(W0 x + W3 h + b0 + b3),
/// z = sigmoid(W1 x + W4 h + b1 + b4), h' = tanh(W2 x + b2 + r (W5 h + b5)); h = (1 - z) h' + z h.
///   const std::vector<Variables> ws(1, std::vector(6, Variable(ones({2, 2}))));
///   const std::vector<Variables> bs(1, std::vector(6, Variable(ones({2}))));
///   F::n_step_gru(1, 0, {}, ws, bs, {ones({3, 2}), ones({1, 2})}).hy  // shape (1, 3, 2)
inline constexpr struct NStepGru {
  static constexpr std::string_view name = "n_step_gru";
  NStepRnnResult operator()(int64_t n_layers, double dropout_ratio, const Variable& hx,
                            const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                            const Variables& xs) const;
} n_step_gru{};

/// n_step_gru() in both directions, with weights and outputs as for n_step_bilstm().
///   const std::vector<Variables> ws(2, std::vector(6, Variable(ones({2, 2}))));
///   const std::vector<Variables> bs(2, std::vector(6, Variable(ones({2}))));
///   F::n_step_bigru(1, 0, {}, ws, bs, {ones({3, 2}), ones({1, 2})}).hy  // shape (2, 3, 2)
inline constexpr struct NStepBigru {
  static constexpr std::string_view name = "n_step_bigru";
  NStepRnnResult operator()(int64_t n_layers, double dropout_ratio, const Variable& hx,
                            const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                            const Variables& xs) const;
} n_step_bigru{};

/// The activation function of n_step_rnn() and n_step_birnn().
enum class RnnActivation { tanh, relu };

/// Layers of simple recurrent networks with two matrices and biases each: h = f(W0 x + W1 h + b0 + b1), f tanh or relu.
///   const std::vector<Variables> ws(1, std::vector(2, Variable(ones({2, 2}))));
///   const std::vector<Variables> bs(1, std::vector(2, Variable(ones({2}))));
///   F::n_step_rnn(1, 0, {}, ws, bs, {ones({3, 2}), ones({1, 2})}, F::RnnActivation::relu).hy  // shape (1, 3, 2)
inline constexpr struct NStepRnn {
  static constexpr std::string_view name = "n_step_rnn";
  NStepRnnResult operator()(int64_t n_layers, double dropout_ratio, const Variable& hx,
                            const std::vector<Variables>& ws, const std::vector<Variables>& bs, const Variables& xs,
                            RnnActivation activation = RnnActivation::tanh) const;
} n_step_rnn{};

/// n_step_rnn() in both directions, with weights and outputs as for n_step_bilstm().
///   const std::vector<Variables> ws(2, std::vector(2, Variable(ones({2, 2}))));
///   const std::vector<Variables> bs(2, std::vector(2, Variable(ones({2}))));
///   F::n_step_birnn(1, 0, {}, ws, bs, {ones({3, 2}), ones({1, 2})}).hy  // shape (2, 3, 2)
inline constexpr struct NStepBirnn {
  static constexpr std::string_view name = "n_step_birnn";
  NStepRnnResult operator()(int64_t n_layers, double dropout_ratio, const Variable& hx,
                            const std::vector<Variables>& ws, const std::vector<Variables>& bs, const Variables& xs,
                            RnnActivation activation = RnnActivation::tanh) const;
} n_step_birnn{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
