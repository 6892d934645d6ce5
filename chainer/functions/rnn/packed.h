// Stacked recurrent layers over packed sequences: what the n_step functions and links share.
#pragma once
#include <vector>

#include "chainer/autograd/variable.h"

namespace chainer::functions {

enum class RnnKind { lstm, gru, tanh, relu };
/// Matrices (and biases) a layer and direction: half of them for the input, half for the state.
constexpr int weight_count(RnnKind kind) { return kind == RnnKind::lstm ? 8 : kind == RnnKind::gru ? 6 : 2; }

/// Sequences whose rows at one time stand together, time after time: batch_sizes[t] rows, which never grow.
struct PackedSequences {
  Variable x;
  std::vector<int64_t> batch_sizes;
};

struct RnnDefinition {
  std::string_view name;  ///< of the function, for errors
  RnnKind kind;
  bool bidirectional = false;
  int64_t n_layers = 1;
  double dropout_ratio = 0;
  const std::vector<Variables>& ws;
  const std::vector<Variables>& bs;
};
struct RnnResult {
  Variable hy, cy;  ///< cy is none but for LSTMs
  Variable y;       ///< packed as x
};
/// All layers. States that are none are zeros for `batch` sequences.
RnnResult apply_rnn(const RnnDefinition& rnn, const Variable& hx, const Variable& cx, const PackedSequences& sequences,
                    int64_t batch);
/// The same on the time steps xs; gives the outputs as time steps too.
RnnResult apply_rnn(const RnnDefinition& rnn, const Variable& hx, const Variable& cx, const Variables& xs,
                    Variables& ys);

/// One layer in one direction: {y, h, c} (without c but for LSTMs) from a node of its own.
Variables apply_rnn_layer(RnnKind kind, bool reverse, const PackedSequences& sequences, const Variable& h0,
                          const Variable& c0, const Variables& ws, const Variables& bs);

}  // namespace chainer::functions
