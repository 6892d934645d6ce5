// SPDX-License-Identifier: MIT
// L: links with recurrent connections over whole sequences (manual: "Link implementations").
#pragma once
#include "chainer/functions/rnn.h"
#include "chainer/links/chain_list.h"
#include "chainer/links/members.h"

namespace chainer {
namespace links {

/// Base of the n-step links: the weights of each layer (and direction) as children 0, 1, ..., each with matrices w0,
/// w1, ... from N(0, 1 / columns) and biases b0, b1, ... of zeros, in the order of F::n_step_lstm() and its siblings.
/// forward() takes sequences (length, in_size) in any order and of any lengths, also zero, and returns outputs in this
/// order; states are (layers, sequences, out_size), twice as many layers for two directions, or none for zeros. The
/// constructor throws ValueError unless sizes are positive; forward() throws ValueError for other shapes and TypeError
/// for other dtypes.
class NStepRNNBase : public ChainList {
 public:
  int64_t n_layers() const { return n_layers_; }
  int64_t out_size() const { return out_size_; }
  double dropout;
  /// The weights of each layer and direction, as arguments of the functions.
  std::vector<Variables> ws() const { return weights('w'); }
  std::vector<Variables> bs() const { return weights('b'); }
  /// Returns states of zeros for these sequences.
  Variable init_hx(const Variables& xs) const;

  struct BatchResult {
    Variable hy, cy;  ///< (layers, sequences, out_size); cy is none except for LSTMs
    Variable y;       ///< (sequences, length, out_size), 2 out_size columns for two directions
  };
  /// The same for sequences of one length, given as one array x of shape (sequences, length, in_size). Its ONNX export
  /// is one operator for each layer, and `sequences` and `length` may be dynamic axes. Throws ValueError for other
  /// shapes, and for a cx unless the link is an LSTM.
  ///   L::NStepLSTM(1, 3, 4, 0).forward_batch(ones({2, 5, 3})).y.shape()  // (2, 5, 4)
  BatchResult forward_batch(const Variable& x, const Variable& hx = {}, const Variable& cx = {});

 protected:
  enum class Kind { lstm, gru, tanh, relu };
  NStepRNNBase(Kind kind, bool bidirectional, int64_t n_layers, int64_t in_size, int64_t out_size, double dropout);
  functions::NStepLstmResult run(const Variable& hx, const Variable& cx, const Variables& xs);
  functions::NStepRnnResult run(const Variable& hx, const Variables& xs) {
    functions::NStepLstmResult r = run(hx, {}, xs);
    return {r.hy, std::move(r.ys)};
  }

 private:
  std::vector<Variables> weights(char which) const;
  Kind kind_;
  bool bidirectional_;
  int64_t n_layers_, in_size_, out_size_;
};

/// F::n_step_lstm with its weights: forward(hx, cx, xs) returns {hy, cy, ys}.
class NStepLSTM : public NStepRNNBase {
 public:
  NStepLSTM(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout)
      : NStepRNNBase(Kind::lstm, false, n_layers, in_size, out_size, dropout) {}
  functions::NStepLstmResult forward(const Variable& hx, const Variable& cx, const Variables& xs) {
    return run(hx, cx, xs);
  }
  CHAINER_DECLARE_LINK(NStepLSTM);
};
/// F::n_step_bilstm with its weights.
class NStepBiLSTM : public NStepRNNBase {
 public:
  NStepBiLSTM(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout)
      : NStepRNNBase(Kind::lstm, true, n_layers, in_size, out_size, dropout) {}
  functions::NStepLstmResult forward(const Variable& hx, const Variable& cx, const Variables& xs) {
    return run(hx, cx, xs);
  }
  CHAINER_DECLARE_LINK(NStepBiLSTM);
};
/// F::n_step_gru with its weights: forward(hx, xs) returns {hy, ys}.
class NStepGRU : public NStepRNNBase {
 public:
  NStepGRU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout)
      : NStepRNNBase(Kind::gru, false, n_layers, in_size, out_size, dropout) {}
  functions::NStepRnnResult forward(const Variable& hx, const Variables& xs) { return run(hx, xs); }
  CHAINER_DECLARE_LINK(NStepGRU);
};
/// F::n_step_bigru with its weights.
class NStepBiGRU : public NStepRNNBase {
 public:
  NStepBiGRU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout)
      : NStepRNNBase(Kind::gru, true, n_layers, in_size, out_size, dropout) {}
  functions::NStepRnnResult forward(const Variable& hx, const Variables& xs) { return run(hx, xs); }
  CHAINER_DECLARE_LINK(NStepBiGRU);
};
/// F::n_step_rnn of tanh with its weights: forward(hx, xs) returns {hy, ys}.
class NStepRNNTanh : public NStepRNNBase {
 public:
  NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout)
      : NStepRNNBase(Kind::tanh, false, n_layers, in_size, out_size, dropout) {}
  functions::NStepRnnResult forward(const Variable& hx, const Variables& xs) { return run(hx, xs); }
  CHAINER_DECLARE_LINK(NStepRNNTanh);
};
/// F::n_step_birnn of tanh with its weights.
class NStepBiRNNTanh : public NStepRNNBase {
 public:
  NStepBiRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout)
      : NStepRNNBase(Kind::tanh, true, n_layers, in_size, out_size, dropout) {}
  functions::NStepRnnResult forward(const Variable& hx, const Variables& xs) { return run(hx, xs); }
  CHAINER_DECLARE_LINK(NStepBiRNNTanh);
};
/// F::n_step_rnn of relu with its weights.
class NStepRNNReLU : public NStepRNNBase {
 public:
  NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout)
      : NStepRNNBase(Kind::relu, false, n_layers, in_size, out_size, dropout) {}
  functions::NStepRnnResult forward(const Variable& hx, const Variables& xs) { return run(hx, xs); }
  CHAINER_DECLARE_LINK(NStepRNNReLU);
};
/// F::n_step_birnn of relu with its weights.
class NStepBiRNNReLU : public NStepRNNBase {
 public:
  NStepBiRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout)
      : NStepRNNBase(Kind::relu, true, n_layers, in_size, out_size, dropout) {}
  functions::NStepRnnResult forward(const Variable& hx, const Variables& xs) { return run(hx, xs); }
  CHAINER_DECLARE_LINK(NStepBiRNNReLU);
};

}  // namespace links
namespace L = links;
}  // namespace chainer
