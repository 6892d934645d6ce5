// SPDX-License-Identifier: MIT
// Stacked recurrent layers over packed sequences, shared by the n_step functions and links.
#pragma once
#include <vector>

#include "chainer/array/operations/recurrent_layer.h"
#include "chainer/autograd/variable.h"

namespace chainer::functions {

using chainer::RnnKind;
using chainer::weight_count;

/// Sequences packed by time: batch_sizes[t] rows for each time t, which never grow.
struct PackedSequences {
  Variable x;
  std::vector<int64_t> batch_sizes;
};

struct RnnDefinition {
  std::string_view name;  ///< the name of the function in messages
  RnnKind kind;
  bool bidirectional = false;
  int64_t n_layers = 1;
  double dropout_ratio = 0;
  const std::vector<Variables>& ws;
  const std::vector<Variables>& bs;
};
struct RnnResult {
  Variable hy, cy;  ///< cy is none except for LSTMs
  Variable y;       ///< packed like x
};
/// Applies all layers. States that are none are zeros for `batch` sequences.
RnnResult apply_rnn(const RnnDefinition& rnn, const Variable& hx, const Variable& cx, const PackedSequences& sequences,
                    int64_t batch);
/// Applies all layers to the time steps xs; sets ys to the outputs as time steps.
RnnResult apply_rnn(const RnnDefinition& rnn, const Variable& hx, const Variable& cx, const Variables& xs,
                    Variables& ys);

/// Applies one layer in one direction as one node: returns {y, h, c}, without c except for LSTMs.
Variables apply_rnn_layer(RnnKind kind, bool reverse, const PackedSequences& sequences, const Variable& h0,
                          const Variable& c0, const Variables& ws, const Variables& bs);

}  // namespace chainer::functions
