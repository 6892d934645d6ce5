// SPDX-License-Identifier: MIT
// A recurrent layer over packed sequences, in one direction, for a backend that computes it as a whole.
#pragma once
#include <cstdint>
#include <vector>

#include "chainer/array/dtype.h"

namespace chainer {

enum class RnnKind { lstm, gru, tanh, relu };
/// Returns the number of matrices, and of biases: half for the input, half for the state.
constexpr int weight_count(RnnKind kind) { return kind == RnnKind::lstm ? 8 : kind == RnnKind::gru ? 6 : 2; }

/// The layer computes h_t = f(W x_t + b + R h_(t-1) + d) for each sequence, for LSTMs and GRUs with the gates in the
/// order of Chainer's weights: i, f, c, o and r, z, h. Items are rows, packed by time: sizes[t] rows for time t, which
/// are the first sizes[t] sequences. With `reverse` each sequence is read from its end.
///
/// Arrays are contiguous and of the layer's dtype; cells (c) exist for LSTMs only:
///   forward:   in  = {x, weights, h, c}                      out = {y, last h, last c}, with `trains` also {kept}
///   gradients: in  = {x, weights, h, c, y, kept, gy, gh, gc} of y and the last states
///              out = {gx, gh, gc}, and the gradient of weights if it is wanted
/// where x is (items, inputs), y (items, units), and states are (sizes[0], units).
struct RecurrentLayer {
  RnnKind kind;
  Dtype dtype;  ///< float32 or float64
  int64_t inputs, units;
  std::vector<int64_t> sizes;  ///< positive, never growing
  bool reverse;
  bool trains;        ///< forward keeps what the gradients need
  bool tensor_cores;  ///< products of float32 may round their operands (TF32)

  bool has_cell() const { return kind == RnnKind::lstm; }
  int64_t items() const {
    int64_t out = 0;
    for (const int64_t n : sizes) out += n;
    return out;
  }
};

/// The arrays for a layer, which have one axis.
struct RecurrentSpaces {
  int64_t weights = 0;  ///< elements of all parameters, joined
  int64_t kept = 0;     ///< elements (int64) of what forward keeps
  /// The positions of parameters among the weights: of the matrices, those of the input first, then of the biases. Each
  /// one is stored in C order, as in Chainer.
  std::vector<int64_t> positions;
};

}  // namespace chainer
